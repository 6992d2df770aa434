#!/usr/bin/env bash
# On a terminal, long work shows its progress, and removes that line when it ends.
. "$(dirname "$0")/../lib.sh"
command -v script >/dev/null || skip "needs the program 'script', which makes terminals"
make_model

# Writes what COMMAND shows on a terminal into the file screen.
shows() { # PATTERN COMMAND...
  unset NO_COLOR
  TERM=xterm script --quiet --return --command "stty cols 100; $(printf '%q ' "${@:2}") >stdout" typescript \
    </dev/null >/dev/null || fail "${*:2}: $(<typescript)"
  tr '\r' '\n' <typescript >screen
  grep -Eq "$1" screen || fail "'$1' is not in what '${*:2}' shows: $(<screen)"
}

left='\[[=> ]+\]  [0-9]+ %  [0-9]+(\.[0-9])? [a-z]+/s  .* left'
shows "reading  $left" "$NMT" vocab -i train.src -i train.tgt -o new.spm --type word --size 40
shows "packing  $left" "$NMT" batch --source train.src --target train.tgt --vocab words.spm -o pairs.nmtc
for _ in {1..20}; do cat test.src; done >long.src
shows "translating  $left" "$NMT" translate -m model.safetensors -i long.src --flush
equal "$(wc -l <stdout)" 1000 "lines of translation"
! grep -E '100 %.* [0-9]{1,3} lines? ' screen || fail "all is done before it is"
shows "scoring  $left" "$NMT" score -m model.safetensors --source test.src --target test.tgt
equal "$(wc -l <stdout)" 50 "scores"
shows "averaging  $left" "$NMT" average model.safetensors run/last.safetensors -o mean.safetensors
training=("$NMT" train "${small[@]}" --vocab words.spm --train pairs.nmtc --valid-source test.src
  --valid-target test.tgt --steps 300 --valid-every 0 -o validated)
shows "validating  $left" "${training[@]}"
grep -Eq "validating: translating  $left" screen || fail "no progress of translation: $(<screen)"
grep -Eq "$left.*  step [0-9]+  " screen || fail "no progress of training: $(<screen)"
grep -Eq "^.*\[[=> ]+\]  making the first updates" screen || fail "nothing to see before the first update: $(<screen)"
grep -Eq "[+] validation left.*  step [0-9]+  " screen || fail "a validation is to come: $(<screen)"
! grep -E '100 %.*  step' screen || fail "done before the validation is"
# A line for each twentieth of the run stays on the terminal; the log file has all lines, as usual.
training=("$NMT" train "${small[@]}" --vocab words.spm --train pairs.nmtc --steps 100 --log-every 2 --save-every 0)
shows "step 100  loss" "${training[@]}" -o watched --log-file seen.log
steps() { sed -nE 's/.*(^|  | )step ([0-9]+)  loss.*/\2/p' "$1" | xargs; }
grep -vE '\[[=> ]+\]' screen | tr -d '\033' | sed 's/^\[K//' >stays
equal "$(steps stays)" "6 10 16 20 26 30 36 40 46 50 56 60 66 70 76 80 86 90 96 100" "lines that stay"
equal "$(steps seen.log)" "$(seq 2 2 100 | xargs)" "lines of the log file"

# There is no progress line if it is not wanted.
shows '^$' "$NMT" translate -m model.safetensors -i test.src -o translated --quiet
! grep -q translating screen || fail "shows progress all the same: $(<screen)"
