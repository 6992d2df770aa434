#!/usr/bin/env bash
# A signal ends training after the model was saved, and leaves nothing half-written anywhere.
. "$(dirname "$0")/../lib.sh"
set -m # so that SIGINT is not ignored in the background
make_text
make_vocabulary

for signal in INT:130 TERM:143 HUP:129; do
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

# Packing waits for the rest of its text.
mkfifo endless
"$NMT" batch --tsv endless --vocab words.spm -o packed.nmtc --quiet &
exec 3>endless
paste train.src train.tgt >&3
until compgen -G "packed.nmtc.*.tmp" >/dev/null; do
  kill -0 $! || fail "packing ended before the signal"
  sleep 0.05
done
kill -HUP $!
exits 129 wait $!
equal "$(compgen -G "packed.nmtc*" || true)" "" "what packing left"

# Under nohup it goes on.
(trap '' HUP && exec "$NMT" train "${small[@]}" --vocab words.spm --source train.src --target train.tgt --steps 0 \
  --log-every 1 -o run --quiet 2>log) &
until [[ -s run/metrics.jsonl ]]; do sleep 0.1; done
kill -HUP $!
lines=$(wc -l <run/metrics.jsonl)
until (($(wc -l <run/metrics.jsonl) > lines + 2)); do kill -0 $! || fail "SIGHUP ended it"; done
kill -TERM $!
exits 143 wait $!
