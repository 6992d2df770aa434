#!/usr/bin/env bash
# Where the time of an update goes: full updates of 80 sentences of 25 tokens on one thread under `perf record`, the
# share of each operation in percent. Matrix products are those of attention too; packing copies their operands into
# the order in which the products read them, which a BLAS does inside its products.
# usage: bench/budget.sh [BUILD]     default: build, with -DNMT_BENCHMARKS=ON; needs perf (Debian's linux-perf)
set -euo pipefail
here=$(dirname "$(realpath "$0")")
build=$(realpath "${1:-$here/../build}")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

record() { # PRESET VOCABULARY UPDATES
  coproc worker { exec "$build/bench/bench_train_steps" "$1" "$2" 80 1; }
  local pid=$! perf
  echo 2 >&"${worker[1]}"
  read -r _ <&"${worker[0]}"
  perf record -q -F 1999 -o "$work/samples" -p "$pid" 2>/dev/null &
  perf=$!
  sleep 1
  echo "$3" >&"${worker[1]}"
  read -r _ <&"${worker[0]}"
  kill -INT "$perf"
  wait "$perf" || true
  kill "$pid"
  wait "$pid" 2>/dev/null || true
}

summarize() {
  perf report -i "$work/samples" --no-children --stdio -g none -F overhead,symbol 2>/dev/null | awk '
    function operation(symbol) {
      if (symbol ~ /multiply/) return "matrix products"
      if (symbol ~ /pack|gather_blocks/) return "packing"
      if (symbol ~ /linear_/) return "bias, activation and their gradients"
      if (symbol ~ /add_norm/) return "residual and layer norm"
      if (symbol ~ /draw|dropout|::apply/) return "dropout"
      if (symbol ~ /cross_entropy|_log_/) return "softmax cross-entropy"
      if (symbol ~ /softmax|attention/) return "softmax of attention"
      if (symbol ~ /adam|sum_of_squares/) return "Adam and the gradient norm"
      if (symbol ~ /embedding/) return "embedding"
      return "everything else"
    }
    /^ *[0-9.]+%/ { share[operation($0)] += $1 }
    END { for (name in share) printf "%6.1f %%  %s\n", share[name], name }' | sort -rn
}

for model in "transformer-small 8000 40" "transformer-base 32000 6"; do
  read -r preset vocabulary updates <<<"$model"
  echo "== $preset, vocabulary of $vocabulary"
  record "$preset" "$vocabulary" "$updates"
  summarize
done
