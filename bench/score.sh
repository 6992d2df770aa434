#!/usr/bin/env bash
# Speed of scoring on the CPU in f32, compared with the forward pass and loss of training, on one and two threads:
# batches of 80 sentences of 25 tokens, alternating. Counts target tokens.
#
#   bench/score.sh [BUILD]     default: build, with -DNMT_BENCHMARKS=ON
#
# ROUNDS sets the number of rounds.
set -euo pipefail
here=$(dirname "$(realpath "$0")")
build=$(realpath "${1:-$here/../build}")
cd "$here"

compare() { # PRESET VOCABULARY STEPS
  for threads in 1 2; do
    echo "== $1, vocabulary of $2, threads: $threads"
    ./alternate.py --rounds "${ROUNDS:-7}" --updates "$3" \
      "score=$build/bench/bench_score_steps $1 $2 80 $threads score" \
      "forward=$build/bench/bench_score_steps $1 $2 80 $threads forward"
  done
}

compare transformer-small 8000 2
compare transformer-base 32000 1
