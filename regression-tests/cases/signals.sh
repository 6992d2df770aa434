#!/usr/bin/env bash
# A signal ends training after the model is saved, and leaves no incomplete files.
. "$(dirname "$0")/../lib.sh"
set -m # so that SIGINT is not ignored in the background
make_text
make_vocabulary
make_model
rm -rf run
nmt translate -m model.safetensors --quiet <test.src >translated

for signal in INT:130 TERM:143 HUP:129 QUIT:131 USR2:140 XCPU:152 VTALRM:154; do
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

# Signals of batch systems: USR1 saves, and the run continues as if nothing had happened.
training=("$NMT" train "${small[@]}" --vocab words.spm --source train.src --target train.tgt --save-every 0 --threads 1
  --log-every 1 --quiet)
await() { # PATTERN FILE
  until grep -qs "$1" "$2"; do
    kill -0 $! || fail "it ended before there was '$1' in $2: $(<log)"
    sleep 0.02
  done
}
"${training[@]}" --steps 200 -o whole
"${training[@]}" --steps 100000 -o saved 2>log &
await . saved/metrics.jsonl
kill -USR1 $!
await 'saved at step' saved/train.log
step=$(sed -n 's/.*saved at step \([0-9]*\) after a signal/\1/p' saved/train.log)
grep -aq "\"updates\":\"$step\"" saved/last.safetensors || fail "last.safetensors is not of update $step"
await "\"step\":$((step + 3))," saved/metrics.jsonl
kill -KILL $!
wait $! || true
if ((step < 200)); then
  "${training[@]}" --steps 200 -o saved
  equal "$(metrics saved)" "$(metrics whole)" "metrics after what USR1 saved"
  same saved/last.safetensors whole/last.safetensors
fi

# A limit of processor time saves and ends a run.
(ulimit -c 0 && ulimit -St 2 && exec "${training[@]}" --steps 0 -o limited 2>log) &
exits 152 wait $!
grep -q 'stopped by a signal at step' limited/train.log || fail "nothing was saved at a limit of processor time"

# Finished translations are kept.
for signal in USR1:138 USR2:140 XCPU:152 VTALRM:154 QUIT:131; do
  mkfifo slow
  "$NMT" translate -m model.safetensors -i slow -o text --quiet 2>log &
  exec 4>slow
  cat test.src >&4
  until [[ -s $(compgen -G 'text.*.tmp') ]]; do
    kill -0 $! || fail "translating ended before the signal: $(<log)"
    sleep 0.02
  done
  kill -"${signal%:*}" $!
  exits "${signal#*:}" wait $!
  exec 4>&-
  equal "$(<log)" "warning: ended by a signal; what was done before is in 'text.partial'" "words about ${signal%:*}"
  same text.partial <(head -n "$(wc -l <text.partial)" translated)
  rm text.partial slow
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

# Under nohup it continues.
(trap '' HUP && exec "$NMT" train "${small[@]}" --vocab words.spm --source train.src --target train.tgt --steps 0 \
  --log-every 1 -o run --quiet 2>log) &
until [[ -s run/metrics.jsonl ]]; do sleep 0.1; done
kill -HUP $!
lines=$(wc -l <run/metrics.jsonl)
until (($(wc -l <run/metrics.jsonl) > lines + 2)); do kill -0 $! || fail "SIGHUP ended it"; done
kill -TERM $!
exits 143 wait $!
