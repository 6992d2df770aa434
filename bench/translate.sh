#!/usr/bin/env bash
# Speed of translation on the CPU in f32, one thread: sentences of 25 tokens, end mark included, into as many; models
# of random weights, which take the same time as trained ones.
#
#   bench/translate.sh [BUILD]     BUILD: a build with -DNMT_BENCHMARKS=ON; default: build
#
# ROUNDS sets the number of measurements, whose medians are printed; BEAMS the beams,
# SENTENCES how many sentences are translated at once.
set -euo pipefail
here=$(dirname "$(realpath "$0")")
build=$(realpath "${1:-$here/../build}")

for model in "transformer-small 8000" "transformer-base 32000"; do
  for beam in ${BEAMS:-4 1}; do
    for sentences in ${SENTENCES:-32 1}; do
      "$here/alternate.py" --rounds "${ROUNDS:-7}" --updates $((sentences == 1 ? 8 : 1)) \
        "${model% *}, beam $beam, $sentences at once=$build/bench/bench_translate_steps $model $beam $sentences 1"
    done
  done
done
