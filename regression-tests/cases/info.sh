#!/usr/bin/env bash
# What nmt info shows about models, runs, corpora and the machine.
. "$(dirname "$0")/../lib.sh"
make_text
make_vocabulary
train --steps 60 --valid-source test.src --valid-target test.tgt --valid-every 30 --save-every 30 \
  --valid-metrics chrf
run=(--source train.src --target train.tgt)

fact() { # NAME FILE: the value after a name, whatever the margin
  sed -nE "s/^ *$1 +//p" "$2" | sed -n 1p
}

nmt info run/step-00000060.safetensors >info
equal "$(fact kind info)" model
equal "$(fact precision info)" f32
equal "$(fact checksum info)" matches
equal "$(fact updates info)" 60
equal "$(fact "d model" info)" 64
equal "$(fact warmup info)" 100
for name in "average gate" "ssru projection" "relative buckets" "max positions" \
  "source language" "adafactor scale"; do
  [[ -z $(fact "$name" info) ]] || fail "shows $name, which has no effect: $(<info)"
done
equal "$(fact pieces info)" 56
tokens=$(grep '"event":"train","step":60' run/metrics.jsonl | grep -o '"target_tokens":[0-9]*' | tail -n 1)
equal "target_tokens\":$(fact "target tokens" info)" "${tokens#\"}"
for figure in perplexity bleu chrf; do
  value=$(grep '"event":"valid","step":60' run/metrics.jsonl | sed "s/.*\"$figure\":\([0-9.]*\).*/\1/")
  equal "$(fact $figure info)" "$(printf %.4f "$value")" "$figure of the validation"
done
awk '/^weights/ { inside = 1; next } /^[^ ]/ { inside = 0 }
  inside && $1 == "all" { all = $2; next } inside { sum += $2 } END { exit !(all > 0 && all == sum) }' info ||
  fail "the parts are not the whole: $(<info)"
grep -Eq '^  search +[0-9.]+ MB$' info || fail "no memory of a search: $(<info)"

# A run is represented by its best model; a model in another folder has no validation.
nmt info run 2>said >of_run
equal "$(fact checkpoints of_run)" 2
equal "$(fact file of_run)" run/best.safetensors
grep -q best.safetensors said || fail "nobody says which model: $(<said)"
mkdir elsewhere && cp run/last.safetensors elsewhere
nmt info elsewhere/last.safetensors >info
equal "$(fact updates info)" 60
[[ -z $(fact bleu info) ]] || fail "the validation of another run"
nmt average run --last 2 -o average.safetensors --quiet
nmt info average.safetensors >info
equal "$(fact "averaged models" info)" 2

# JSON has the same facts.
nmt info run/last.safetensors --json >json
grep -q '"updates": 60,' json || fail "got: $(<json)"
if command -v python3 >/dev/null; then python3 -m json.tool json >/dev/null || fail "no JSON"; fi

nmt batch "${run[@]}" --vocab words.spm -o train.nmtc --quiet
nmt batch train.nmtc >shown
nmt info train.nmtc >info
same info shown
nmt info train.nmtc --json | contains '"pairs": 500,' || fail "another number of pairs"

nmt info >info
equal "nmt $(fact nmt info)" "$(nmt --version)"
nmt translate -m run --threads 1 --quiet <test.src >/dev/null
for name in compiler processor "instruction sets" threads memory zlib sentencepiece; do
  [[ -n $(fact "$name" info) ]] || fail "nothing about $name: $(<info)"
done

head -c 5000 run/last.safetensors >cut.safetensors
refuses 1 "cut\.safetensors" nmt info cut.safetensors
printf '\x01' | dd of=elsewhere/last.safetensors bs=1 seek=20000 conv=notrunc status=none
refuses 1 "last\.safetensors'.*checksum does not match" nmt info elsewhere/last.safetensors
head -c 3000 train.nmtc >cut.nmtc
refuses 1 "cut\.nmtc" nmt info cut.nmtc
: >empty
refuses 1 "empty" nmt info empty
refuses 1 "missing" nmt info missing

# Other files, of nmt and of other programs.
nmt info words.spm >info
equal "$(fact kind info)" vocabulary
equal "$(fact type info)" word
equal "$(fact pieces info)" 56
head -c 500 words.spm >cut.spm
refuses 1 "cut\.spm' is damaged or not a SentencePiece model" nmt info cut.spm
refuses 1 "training.safetensors' is the training state of a run" nmt info run/state/training.safetensors
refuses 1 "config.yml' is not a model: it is text" nmt info run/config.yml
iconv -f UTF-8 -t LATIN1 <<<"Die Größe der Straße" >latin1.txt
refuses 1 "latin1.txt' is not a model: it is text in another encoding than UTF-8" nmt info latin1.txt
mkfifo pipe # for whose writer nobody waits
refuses 1 "cannot read 'pipe': it is not a regular file" nmt info pipe
refuses 1 "cannot read 'pipe': it is not a regular file" nmt translate -m pipe <test.src
gzip <train.src >train.src.gz
refuses 1 "train.src.gz' is not a model: it is packed with gzip" nmt info train.src.gz
printf 'PK\3\4%22s\5\0\0\0W.npy' '' >model.npz
refuses 1 "model.npz' comes without its vocabularies" nmt info model.npz
refuses 1 "model.npz' is (truncated|damaged|no )|model.npz' .*zip" nmt convert model.npz --vocab words.spm -o no
refuses 1 "train.nmtc' .* it is a packed corpus" nmt translate -m train.nmtc <test.src
mkdir nothing
refuses 1 "nothing.*without best.safetensors.*name a model or a run" nmt info nothing
touch nothing/model.safetensors
refuses 1 "if model.safetensors is of Hugging Face, config.json is missing" nmt info nothing
mkdir -p above/below
cp run/best.safetensors above/below
refuses 1 "name 'above/below', which has one" nmt info above
refuses 1 "'train.src' is text, not a vocabulary; make one from it: nmt vocab -i train.src" \
  nmt train --vocab train.src --source train.src --target train.src -o no
refuses 1 "train.src' is not a model: it is text; name a model of nmt or of another toolkit" \
  nmt translate -m train.src <test.src
refuses 2 "unexpected|at most|one" nmt info one two

# A file of a folder of another toolkit stands for the folder.
nmt convert run --to ctranslate2 -o folder --quiet
nmt info folder >expected
for file in model.bin config.json; do
  nmt info folder/$file --quiet >info
  same info expected
done
