#!/usr/bin/env bash
# Models named hf:OWNER/NAME are fetched from a Hugging Face Hub into its cache, whatever goes wrong on the way.
. "$(dirname "$0")/../lib.sh"
root=$(cd "$(dirname "$0")/../.." && pwd)
make_model
nmt convert -m model.safetensors --to ctranslate2 -o as-folder --quiet
nmt translate -m as-folder -i test.src --quiet >expected

mkdir -p hub/me
cp -r as-folder hub/me/small
echo 'not read' >hub/me/small/README.md
python3 "$root/regression-tests/hub.py" hub 2>server.log &
server=$!
trap 'kill $server 2>/dev/null || true' EXIT
until [[ -s hub/port ]]; do sleep 0.05; done
HF_ENDPOINT=http://127.0.0.1:$(<hub/port)
export HF_ENDPOINT HF_HOME=$PWD/home no_proxy='*'
unset HF_TOKEN HF_HUB_CACHE HUGGINGFACE_HUB_CACHE HF_HUB_OFFLINE TRANSFORMERS_OFFLINE HF_TOKEN_PATH
cache=home/hub/models--me--small

translates() { # OPTION...: like the folder; the log is in `log`
  : >hub/log
  nmt translate -m hf:me/small -i test.src "$@" >translated 2>log
  same translated expected
}
transfers() { grep -c '/elsewhere/' hub/log || true; }
behaves() { echo "$*" >hub/behavior; }
rmdir_cache() { rm -rf home; }

# The files that are needed are fetched, in the layout of huggingface_hub.
if ! nmt translate -m hf:me/small -i test.src >translated 2>log; then
  if grep -q "downloads need libcurl" log; then skip "libcurl is not installed"; fi
  fail "says: $(<log)"
fi
same translated expected
grep -qE "^fetching me/small \([0-9.]+ MB\) into '$HF_HOME/hub'$" log || fail "says: $(<log)"
commit=$(<"$cache/refs/main")
holds "${#commit} == 40"
[[ -L $cache/snapshots/$commit/model.bin ]] || fail "files of a snapshot are links"
same "$cache/snapshots/$commit/model.bin" as-folder/model.bin
equal "$(readlink "$cache/snapshots/$commit/model.bin")" \
  "../../blobs/$(sha256sum as-folder/model.bin | cut -d ' ' -f 1)"
[[ ! -e $cache/snapshots/$commit/README.md ]] || fail "what is not needed is fetched"
if compgen -G "$cache/blobs/*.incomplete"; then fail "something is left"; fi

# What is there is not fetched again; a commit never changes, so nobody is asked.
translates
equal "$(transfers)" 0 transfers
equal "$(wc -l <hub/log)" 1 requests
: >hub/log
nmt translate -m "hf:me/small@$commit" -i test.src --quiet >translated
same translated expected
equal "$(wc -l <hub/log)" 0 requests

# Every command takes such a name.
nmt info "hf:me/small" | contains CTranslate2 || fail "nmt info"
nmt score -m hf:me/small --source test.src --target test.tgt --quiet >scores
same scores <(nmt score -m as-folder --source test.src --target test.tgt --quiet)
nmt convert -m hf:me/small -o converted.safetensors --quiet
same <(nmt translate -m converted.safetensors -i test.src --quiet) expected

# Of a commit of which only a part is there, the rest is fetched.
rm -rf "$cache/refs" "$cache/snapshots/$commit/"{config.json,*vocabulary*}
nmt translate -m "hf:me/small@$commit" -i test.src --quiet >translated
same translated expected

# A file that was cut off in the cache is fetched again.
truncate -s -1 "$cache/blobs/$(sha256sum as-folder/model.bin | cut -d ' ' -f 1)"
translates
equal "$(transfers)" 1 transfers
same "$cache/snapshots/$commit/model.bin" as-folder/model.bin

# The message about a damaged file says how to fetch it again.
chmod u+w "$cache/snapshots/$commit/config.json"
printf x | dd of="$cache/snapshots/$commit/config.json" bs=1 conv=notrunc status=none
refuses 1 "config.json' is not valid JSON at its byte 1; to download the model again, remove '$PWD/$cache'$" \
  nmt translate -m hf:me/small -i test.src --quiet
rm -r "$cache"
translates

# A new version is fetched, and what did not change is shared.
echo '{}' >hub/me/small/added_tokens.json
translates
equal "$(transfers)" 0 transfers
[[ $(<"$cache/refs/main") != "$commit" ]] || fail "the reference stays"
rm hub/me/small/added_tokens.json

# Without the Hub, the copy is used.
HF_HUB_OFFLINE=1 translates
equal "$(wc -l <hub/log)" 0 requests
for endpoint in http://127.0.0.1:1 http://nobody.invalid; do
  HF_ENDPOINT=$endpoint translates
  grep -q "^warning: cannot reach $endpoint: .*; check the network, or set HF_ENDPOINT; using the copy" log ||
    fail "says: $(<log)"
done
behaves busy
translates
grep -q "^warning: .* answers with status 503; try again later; using the copy of 'me/small'" log || fail "says: $(<log)"
rmdir_cache
refuses 1 "answers with status 503; try again later; or download the files of 'me/small' elsewhere, and name their folder" \
  nmt translate -m hf:me/small -i test.src --quiet
behaves headers
refuses 1 "cannot reach .*: the headers of its response are too long; check" nmt translate -m hf:me/small -i test.src --quiet
HF_ENDPOINT=http://me:secret@127.0.0.1:1 refuses 1 "cannot reach http://127.0.0.1:1: " nmt translate -m hf:me/small -i test.src
HF_ENDPOINT=http://127.0.0.1:1 refuses 1 "cannot reach http://127.0.0.1:1: " nmt translate -m hf:me/small -i test.src
HF_HUB_OFFLINE=1 refuses 1 "HF_HUB_OFFLINE is set, but 'me/small' \(main\) is not in '.*'" nmt translate -m hf:me/small -i test.src

# A transfer that breaks continues where it ended, as does one that was killed or interrupted.
behaves break 100000
translates --quiet
grep -q ' 206 bytes=100000-$' hub/log || fail "requests: $(<hub/log)"
for signal in INT:130 KILL:137 TERM:143; do
  rmdir_cache
  behaves slow
  (set -m && exec env --default-signal "$NMT" translate -m hf:me/small -i test.src >translated 2>log) &
  worker=$!
  until [[ $(find . -path './home/*' -name '*.incomplete' -size +30k) ]]; do sleep 0.05; done
  kill -"${signal%:*}" $worker
  exits "${signal#*:}" wait $worker 2>/dev/null
  behaves
  translates --quiet
  grep -qE ' 206 bytes=[1-9][0-9]*-$' hub/log || fail "after $signal: $(<hub/log)"
done
rmdir_cache
(ulimit -f 100 && exits 1 nmt translate -m hf:me/small -i test.src) >translated 2>log
grep -qE "^error: cannot write '.*\.incomplete'" log || fail "says: $(<log)"
translates --quiet

# Servers that send no parts, or other ones, send all.
large=$(sha256sum as-folder/model.bin | cut -d ' ' -f 1)
for behavior in elsewhere whole; do
  rmdir_cache
  mkdir -p "$cache/blobs"
  head -c 50000 as-folder/model.bin >"$cache/blobs/$large.incomplete"
  behaves $behavior
  translates --quiet
  grep -q ' bytes=50000-$' hub/log || fail "requests: $(<hub/log)"
done

# More than a file has is not written.
rmdir_cache
behaves more
refuses 1 "http://127.0.0.1:[0-9]+ sends more than the [0-9]+ bytes that '[a-z_.]+' of 'me/small' has; try again later$" \
  nmt translate -m hf:me/small -i test.src --quiet
if [[ $(find home -size +0 -name '*.incomplete') ]]; then fail "something is left"; fi

# A tag whose name begins with another one cannot be recorded, which does not matter.
behaves
rmdir_cache
for tag in v1 v1/fixed; do
  nmt translate -m hf:me/small@$tag -i test.src >translated 2>log
  same translated expected
done
grep -q "^warning: .*; without the network, 'me/small' will not be found under the name 'v1/fixed'" log || fail "says: $(<log)"

# Two at a time fetch once.
rmdir_cache
behaves slow
: >hub/log
nmt translate -m hf:me/small -i test.src >translated.1 2>log.1 &
other=$!
nmt translate -m hf:me/small -i test.src >translated.2 2>log.2
wait $other
for i in 1 2; do same translated.$i expected; done
equal "$(grep -c 'GET /elsewhere/.*/model.bin' hub/log)" 1 "transfers of the weights"

# Damage is found.
rmdir_cache
behaves damage
refuses 1 "'[a-z.]+' of 'me/small' arrived damaged: its checksum is wrong; try again$" nmt translate -m hf:me/small -i test.src --quiet
behaves
translates --quiet

# Tokens go to the Hub alone.
echo secret >hub/token
rmdir_cache
refuses 1 "'me/small' does not exist on .*, or is private; .* set HF_TOKEN" nmt translate -m hf:me/small -i test.src
HF_TOKEN=secret translates --quiet
rmdir_cache
mkdir home
echo secret >home/token
translates --quiet
rm hub/token
behaves gated
refuses 1 "'me/small' may not be read: accept its conditions on " nmt translate -m hf:me/small -i test.src
behaves

# Names that mean nothing.
refuses 1 "'me/other' does not exist on " nmt translate -m hf:me/other -i test.src
refuses 1 "'me/small' has no revision 'v9'$" nmt translate -m hf:me/small@v9 -i test.src
refuses 2 "'hf:me/../small' is not the name of a model; write hf:OWNER/NAME or hf:OWNER/NAME@REVISION" \
  nmt translate -m hf:me/../small -i test.src
HF_ENDPOINT=huggingface.co refuses 2 "HF_ENDPOINT is 'huggingface.co', but it must begin with https:// or http://" \
  nmt translate -m hf:me/small -i test.src
mkdir hub/me/empty
echo x >hub/me/empty/model.onnx
refuses 1 "'me/empty' has no weights that nmt reads .*; its files are model.onnx$" nmt translate -m hf:me/empty -i test.src

# COMET checkpoints come with the tokenizer of their encoder, which is another repository.
models=${NMT_REFERENCE_DATA:-}/foreign/comet
if [[ -d $models ]]; then
  mkdir -p hub/me/comet/checkpoints hub/s/encoder
  cp "$models/kiwi/hparams.yaml" hub/me/comet
  cp "$models/kiwi/checkpoints/model.ckpt" hub/me/comet/checkpoints
  cp "$models"/encoder/* hub/s/encoder
  echo 'not read' | tee hub/me/comet/README.md >hub/s/encoder/model.safetensors
  nmt bleu --comet hf:me/comet --source test.src -i test.tgt -w 6 --score-only --quiet >judged
  same judged <(nmt bleu --comet "$models/kiwi" --source test.src -i test.tgt -w 6 --score-only --quiet)
  if compgen -G 'home/hub/models--*/snapshots/*/README.md' || compgen -G 'home/hub/models--s--encoder/snapshots/*/model.safetensors'; then
    fail "what is not needed is fetched"
  fi
  : >hub/log
  HF_HUB_OFFLINE=1 nmt bleu --comet hf:me/comet --source test.src -i test.tgt -w 6 --score-only --quiet >again
  same again judged
  equal "$(wc -l <hub/log)" 0 requests
  rm -r home/hub/models--s--encoder hub/s
  refuses 1 "'s/encoder' does not exist on " nmt bleu --comet hf:me/comet --source test.src -i test.tgt
fi

# MetricX models come with the tokenizer of mT5.
tests=$(cd "$(dirname "$0")/../../tests" && pwd)
mkdir -p hub/google
python3 "$tests/fixtures/metricx.py" --model hub/google/metricx-24-tiny
cp -r "$tests/data/metricx/mt5-xl" hub/google
nmt bleu --metricx hf:google/metricx-24-tiny --source test.src -i test.tgt -w 6 --score-only --quiet >judged
same judged <(nmt bleu --metricx hub/google/metricx-24-tiny --source test.src -i test.tgt -w 6 --score-only --quiet)
