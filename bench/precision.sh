#!/usr/bin/env bash
# Speed of training on the CPU in bf16 and f32: full updates of 80 sentences of 25 tokens, with the dropout of the
# presets, on one thread, alternating.
#
#   bench/precision.sh [BUILD]
#
# BUILD: a build with -DNMT_BENCHMARKS=ON. ROUNDS sets the number of turns.
set -euo pipefail
here=$(dirname "$(realpath "$0")")
build=$(realpath "${1:-$here/../build}")
cd "$here"

compare() { # PRESET VOCABULARY UPDATES
  echo "== $1, vocabulary of $2"
  local steps="$build/bench/bench_train_steps $1 $2 80 1"
  ./alternate.py --rounds "${ROUNDS:-7}" --updates "$3" "bf16=$steps bf16" "f32=$steps f32"
}

compare transformer-small 8000 3
compare transformer-base 32000 1
