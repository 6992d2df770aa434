#!/usr/bin/env bash
# A signal ends training after the model was saved.
. "$(dirname "$0")/../lib.sh"
set -m # so that SIGINT is not ignored in the background
make_text
make_vocabulary

for signal in INT:130 TERM:143; do
  "$NMT" train "${small[@]}" --vocab words.spm --source train.src --target train.tgt --steps 0 --log-every 1 \
    -o run --quiet 2>log &
  until [[ -s run/metrics.jsonl ]]; do
    kill -0 $! || fail "training ended before the signal: $(<log)"
    sleep 0.1
  done
  kill -"${signal%:*}" $!
  exits "${signal#*:}" wait $!
  (($(wc -l <log) <= 1)) || fail "many words about a signal: $(<log)"
  nmt translate -m run/last.safetensors <test.src >test.out
  equal "$(wc -l <test.out)" 50 "lines translated by what was saved"
  rm -r run
done
