#!/usr/bin/env bash
# Repeating a run with its settings and seed gives its bits; another seed does not.
. "$(dirname "$0")/../lib.sh"
make_text
make_vocabulary

without_times() { # METRICS
  sed -E 's/"(seconds|data_wait|target_tokens_per_second)": *[^,}]*//g' "$1"
}

train --steps 40 --log-every 10 --save-every 20 --dropout 0.1 --seed 5
mv run first
train --steps 40 --log-every 10 --save-every 20 --dropout 0.1 --seed 5
for file in last step-00000020 step-00000040; do same "first/$file.safetensors" "run/$file.safetensors"; done
equal "$(without_times first/metrics.jsonl)" "$(without_times run/metrics.jsonl)" "metrics"
same first/config.yml run/config.yml

mv run second
train --steps 40 --log-every 10 --dropout 0.1 --seed 6
! cmp -s first/last.safetensors run/last.safetensors || fail "the seed has no effect"

for threads in 1 2 3; do
  nmt translate -m first/last.safetensors --threads $threads <test.src >"threads-$threads"
done
same threads-1 threads-2
same threads-1 threads-3
