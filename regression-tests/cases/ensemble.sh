#!/usr/bin/env bash
# Translation with several models, n-best lists, an output file, line-by-line answers, and interruption.
. "$(dirname "$0")/../lib.sh"
set -m # so that SIGINT is not ignored in the background
make_model
train --encoder-layers 2 --d-model 32 --seed 2 --steps 100 -o second

translate() { nmt translate -m model.safetensors --quiet "$@"; }
second=second/last.safetensors
translate --scores <test.src >alone

# A model with itself gives its own translations; with another one, neither's.
translate -m model.safetensors --scores <test.src >twice
same twice alone
translate -m $second --scores <test.src >both
nmt translate -m $second -m model.safetensors --scores --quiet <test.src >swapped
same both swapped
nmt translate -m $second --scores --quiet <test.src >other
if cmp -s both alone || cmp -s both other; then fail "a model does not take part"; fi
translate -m $second --batch-tokens 1 --threads 2 --scores <test.src >narrow
same both narrow

# Weights, one per model, count by their ratios.
translate -m $second --weights 2 --weights 2 --scores <test.src >even
same even both
translate -m $second --weights 3 --weights 1 --scores <test.src >uneven
if cmp -s uneven both; then fail "weights do not count"; fi
refuses 2 "--weights: 1 weight for 2 models" translate -m $second --weights 3 <test.src

# N-best lists have N lines per input line, best first, and their first lines are the translations.
{ head -n 2 test.src && echo && tail -n 1 test.src; } >mixed
translate -m $second --n-best 3 <mixed >lists
equal "$(cut -d ' ' -f 1 lists | uniq -c | tr -s ' \n' ' ')" " 3 0 3 1 1 2 3 3 " "lines for each line"
[[ $(grep -Ecv '^[0-9]+ \|\|\| .* \|\|\| -?[0-9]+\.[0-9]{6}$' lists) == 0 ]] || fail "n-best lists look otherwise"
equal "$(sed -n 7p lists)" "2 |||  ||| 0.000000" "an empty line"
translate -m $second --scores <mixed >expected
awk -F ' [|][|][|] ' '!seen[$1]++ { print $3 "\t" $2 }' lists >best
same best expected
awk -F ' [|][|][|] ' '$1 in last && $3 > last[$1] { exit 1 } { last[$1] = $3 }' lists || fail "not in falling order"
translate --n-best 1 <mixed | cut -d ' ' -f 1 | tr '\n' ' ' >numbers
equal "$(<numbers)" "0 1 2 3 "

# The summary goes to standard error, and --quiet suppresses it.
nmt translate -m model.safetensors <mixed 2>summary >texts
grep -Eq '^4 lines, [0-9]+ source and [0-9]+ target tokens in [0-9.]+ s: [0-9]+ target tokens/s$' summary ||
  fail "the summary says: $(<summary)"
translate <mixed 2>summary >texts
[[ ! -s summary ]] || fail "--quiet says: $(<summary)"

# A file has the same content as standard output, appears at the end, and survives a failure.
translate -o file <mixed >nothing
same file texts
[[ ! -s nothing ]] || fail "wrote to stdout beside the file"
translate -o - <mixed >stdout
same stdout texts
xz -k mixed && translate -i mixed.xz -o file
same file texts
head -c 60 mixed.xz >cut.xz
refuses 1 "cut\.xz" translate -i cut.xz -o file
same file texts
refuses 1 "cannot write '/dev/full'" translate -o /dev/full <mixed
refuses 1 "cannot write 'missing/file'" translate -o missing/file <mixed

# Each line is answered before the next one is sent, and Ctrl-C ends the program.
coproc TALK { exec "$NMT" translate -m model.safetensors --flush --quiet 2>talk.err; }
talk=$TALK_PID
for i in 1 3 2; do
  sed -n ${i}p test.src >&"${TALK[1]}"
  IFS= read -r -t 60 answer <&"${TALK[0]}" || fail "no answer to line $i"
  equal "$answer" "$(sed -n ${i}p alone | cut -f 2)" "answer"
done
interrupt() { # SIGNAL PID: until it has an effect, since it may come just before the process waits
  while kill -"$1" "$2" 2>/dev/null; do
    for _ in {1..40}; do
      kill -0 "$2" 2>/dev/null || return 0
      sleep 0.05
    done
  done
}
interrupt INT "$talk"
exits 130 wait "$talk"
[[ ! -s talk.err ]] || fail "words about Ctrl-C: $(<talk.err)"

# On interruption the file stays as it was, whether the program is working or waiting.
mkfifo pipe
for signal in INT:130 TERM:143; do
  "$NMT" translate -m model.safetensors -o file --quiet <pipe &
  worker=$!
  exec 5>pipe
  until compgen -G 'file.*.tmp' >partial; do sleep 0.05; done
  interrupt "${signal%:*}" $worker
  exits "${signal#*:}" wait $worker
  exec 5>&-
  for _ in {1..200}; do cat test.src; done >long.src
  "$NMT" translate -m model.safetensors -o file --quiet -i long.src &
  worker=$!
  until compgen -G 'file.*.tmp' >partial; do sleep 0.05; done
  interrupt "${signal%:*}" $worker
  exits "${signal#*:}" wait $worker
  same file texts
  if compgen -G 'file.*.tmp'; then fail "a temporary file is left"; fi
done

# Options that exclude each other.
nmt vocab -i train.tgt -o letters.spm --type char --size 30 --quiet
nmt train "${small[@]}" --vocab letters.spm --source train.src --target train.tgt --steps 1 -o foreign --quiet
foreign=foreign/last.safetensors
refuses 1 "$foreign' and 'model\.safetensors' have different source vocabularies" translate -m $foreign <test.src
refuses 1 "missing" translate -m missing <test.src
refuses 2 "n-best 5 .* --beam is 4" translate --beam 4 --n-best 5 <test.src
refuses 2 "n-best" translate --n-best 0 <test.src
refuses 2 "--n-best and --scores exclude each other" translate --n-best 2 --scores <test.src
refuses 2 "--flush and --output exclude each other" translate --flush -o file <test.src
same file texts
