#!/usr/bin/env bash
# Speed and peak memory of large updates on the CPU, before and after a change: transformer-base with a vocabulary of
# 32,000, on one thread, computing 4,100 and 25,000 tokens at a time.
#
#   bench/large_updates.sh BEFORE [AFTER]     builds with -DNMT_BENCHMARKS=ON; default of AFTER: build
#
# Smaller updates alternate. Larger ones, of 10 GB and more, run one after the other, each for two updates of which the
# second counts, TURNS times (default: 2). SIZES="164" omits the long ones.
set -euo pipefail
here=$(dirname "$(realpath "$0")")
before=$(realpath "$1")
after=$(realpath "${2:-$here/../build}")

worker() { # BUILD SENTENCES
  echo "$1/bench/bench_train_steps transformer-base 32000 $2 1"
}

for sentences in ${SIZES:-164 1000}; do
  echo "== $((25 * sentences)) tokens"
  if ((sentences < 1000)); then
    "$here/alternate.py" --rounds "${ROUNDS:-5}" "before=$(worker "$before" "$sentences")" \
      "after=$(worker "$after" "$sentences")"
    continue
  fi
  for ((turn = 0; turn < ${TURNS:-2}; ++turn)); do
    "$here/alternate.py" --rounds 1 "before=$(worker "$before" "$sentences")"
    "$here/alternate.py" --rounds 1 "after=$(worker "$after" "$sentences")"
  done
done
