#!/usr/bin/env bash
# Speed of training with two threads, alone and with a busy process on one of the two cores, alternating.
#
#   bench/busy.sh PACKED_CORPUS NMT [NMT ...]
#
# NMT: programs to compare, such as those of two builds. Prints target tokens per second of elapsed time. If others use
# the machine, NICE=-15 (as root) gives this benchmark priority. ROUNDS, UPDATES, OPTIONS (of nmt train; default: the
# large model of the quick start) and CORES (two) can be set.
set -euo pipefail
corpus=$(realpath "$1")
shift
cores=${CORES:-0,1}
read -r -a options <<<"${OPTIONS:---preset transformer-tiny --encoder-layers 3 --decoder-layers 3 --d-model 192 --d-ff 768 \
  --batch-tokens 1000}"
run=$(mktemp -d)
trap 'rm -rf "$run"' EXIT

speed() { # NMT
  nice -n "${NICE:-0}" taskset -c "$cores" "$1" train "${options[@]}" --train "$corpus" --steps "${UPDATES:-50}" --threads 2 \
    --log-every 10 --save-every 0 -o "$run" --overwrite --quiet
  python3 - "$run/metrics.jsonl" <<'END'
import json, sys
lines = [json.loads(line) for line in open(sys.argv[1])]
first, last = lines[0], lines[-1]  # the first updates wait for the text
print(round((last["target_tokens"] - first["target_tokens"]) / (last["seconds"] - first["seconds"])))
END
}

for ((round = 1; round <= ${ROUNDS:-3}; ++round)); do
  for nmt in "$@"; do
    alone=$(speed "$nmt")
    nice -n "${NICE:-0}" taskset -c "${cores%,*}" sh -c 'while :; do :; done' &
    busy=$!
    beside=$(speed "$nmt")
    kill "$busy"
    wait "$busy" 2>/dev/null || true
    echo "$nmt: alone $alone, beside a busy process $beside"
  done
done
