#!/usr/bin/env bash
# Outputs: compressed files and named pipes; and models named by their run directory.
. "$(dirname "$0")/../lib.sh"
set -m # so that SIGINT is not ignored in the background
make_model

translate() { nmt translate -m model.safetensors --quiet "$@"; }
translate <test.src >expected

# Compressed as the file name says, and either complete or absent.
for ending in gz:gzip xz:xz zst:zstd; do
  translate -i test.src -o "out.${ending%:*}"
  "${ending#*:}" -dc "out.${ending%:*}" >unpacked
  same unpacked expected
done
translate -i /dev/null -o nothing.gz
equal "$(gzip -dc nothing.gz | wc -c)" 0 "bytes of nothing"
exits 1 translate -i missing -o missing.gz 2>error
if compgen -G 'missing.gz*'; then fail "left a file that is not complete"; fi

# A named pipe, like standard output, gets lines as they are ready.
mkfifo pipe input
translate --flush -i input -o pipe &
worker=$!
exec 5<>pipe 6>input
for line in 1 2; do
  sed -n ${line}p test.src >&6
  IFS= read -r -t 60 answer <&5 || fail "no answer to line $line"
  equal "$answer" "$(sed -n ${line}p expected)" "answer"
done
exec 6>&-
exits 0 wait $worker
exec 5>&-
[[ -p pipe ]] || fail "the pipe has become something else"
cat pipe >piped &
reader=$!
translate -i test.src -o pipe
exits 0 wait $reader
same piped expected
for signal in INT:130 TERM:143; do # while it waits for a reader
  "$NMT" translate -m model.safetensors -i test.src -o pipe --quiet &
  worker=$!
  sleep 0.3
  kill -"${signal%:*}" $worker
  exits "${signal#*:}" wait $worker
done

# With -o, every command writes the same bytes to a file and to a stream: `-`, /dev/stdout into a pipe and appended to a
# file, >(...), and a named pipe.
everywhere() { # NAME COMMAND...
  local file=stream.$1
  shift
  nmt "$@" -o "$file" --quiet
  nmt "$@" -o - --quiet | cmp - "$file" || fail "-o - of $1"
  nmt "$@" -o /dev/stdout --quiet | cmp - "$file" || fail "-o /dev/stdout of $1"
  printf before >behind
  nmt "$@" -o /dev/stdout --quiet >>behind
  { printf before && cat "$file"; } | cmp - behind || fail "-o /dev/stdout of $1, behind what was there"
  nmt "$@" -o >(cat >piped && mv piped substituted) --quiet
  until [[ -e substituted ]]; do sleep 0.05; done
  same substituted "$file"
  cat pipe >piped &
  nmt "$@" -o pipe --quiet
  wait $!
  same piped "$file"
  rm substituted
}
everywhere spm vocab -i train.src -i train.tgt --type word --size 56
everywhere nmtc batch --source train.src --target train.tgt --vocab words.spm
everywhere average average model.safetensors run/last.safetensors
everywhere convert convert -m model.safetensors --precision int8
everywhere shortlist shortlist -m model.safetensors --source test.src --target test.tgt
everywhere translation translate -m model.safetensors -i test.src
everywhere html attention -m model.safetensors --source test.src --target test.tgt --lines 1
everywhere svg plot masks
train --valid-source test.src --valid-target test.tgt --steps 2 -o charted
everywhere page report charted
[[ ! -e ./- ]] || fail "made a file named -"
nmt batch --source train.src --target train.tgt --vocab words.spm -o - 2>told | cat >corpus
grep -q "^dropped: none" told || fail "says: $(<told)"
nmt batch corpus >/dev/null
exec 8> >(:)
wait $!
exits 141 nmt plot masks -o /dev/fd/8 2>told
exec 8>&-
[[ ! -s told ]] || fail "says of a reader that has gone: $(<told)"
refuses 1 "cannot write '/dev/fd/0': " nmt convert -m model.safetensors --precision int8 -o /dev/fd/0 </dev/null
refuses 1 "cannot write '/dev/fd/99': " nmt convert -m model.safetensors --precision int8 -o /dev/fd/99
refuses 2 "--output: '-' is a standard stream, but a directory" train -o -
refuses 2 "log-file: .*(standard error|write to two files)" nmt plot masks --log-file -
exits 2 script -qec "'$NMT' vocab -i train.src --size 30 --type char -o -" /dev/null >told
grep -q "standard output is a terminal" told || fail "says: $(<told)"

# The best model of a run, or the last one.
train --valid-source test.src --valid-target test.tgt --steps 150 --save-every 50 --valid-every 50 -o validated
step() { nmt translate -m "$1" <test.src 2>told; }
step validated >best
grep -q "^'validated': the model is best.safetensors$" told || fail "says: $(<told)"
nmt translate -m validated/best.safetensors --quiet <test.src >expected.best
same best expected.best
step run >last
grep -q "^'run': the model is last.safetensors$" told || fail "says: $(<told)"
same last expected
nmt score -m run --source test.src --target test.tgt --quiet >scores
nmt score -m model.safetensors --source test.src --target test.tgt --quiet >scores.expected
same scores scores.expected
mkdir empty
refuses 1 "'empty' is a directory without best.safetensors or last.safetensors" nmt translate -m empty --quiet <test.src
touch empty/vocab.ende.spm.gz
refuses 1 "'empty' is a directory with vocabularies, but without a model; add its file" nmt translate -m empty --quiet <test.src
touch empty/lex.50.50.ende.s2t.bin
refuses 1 "'empty' is a directory with a shortlist and vocabularies, but without a model; add its file, such as model.npz" \
  nmt translate -m empty --quiet <test.src
mkdir marian && : >marian/model.npz
refuses 1 "'marian/model\.npz' is damaged" nmt translate -m marian --quiet <test.src
mkdir hugging && echo '{' >hugging/config.json
refuses 1 "'hugging/config\.json' is not valid JSON at its byte 3" nmt translate -m hugging --quiet <test.src
cp run/last.safetensors alone && mv alone run/last.safetensors # no link to a checkpoint
sha256sum run/last.safetensors >before
refuses 2 "same file as 'run/last.safetensors' of --model" nmt translate -m run --quiet -o run/last.safetensors <test.src
sha256sum -c --quiet before

# An empty file name, as from an unset shell variable, is an error and leaves no file.
for command in "vocab -i train.src" "translate -m model.safetensors -i test.src" "train --source train.src --target train.tgt" \
  "average run"; do
  # shellcheck disable=SC2086 # words
  refuses 2 "output is empty; name a (file|directory)" nmt $command -o ''
done
refuses 2 "model is empty; name a file" nmt translate -m ''
refuses 2 "reference is empty; name a file" nmt bleu ''
[[ -z $(compgen -G '.partial*') ]] || fail "a file without a name is left"
