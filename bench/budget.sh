#!/usr/bin/env bash
# Where the time of an update and of a search goes, on one thread under `perf record`: the share of each operation in
# percent. An update has 80 sentences of 25 tokens. Matrix products include those of attention; packing copies operands
# into the order in which products read them, which a BLAS does inside its products. A search translates 32 sentences of
# 25 tokens into as many tokens, with attention query by query.
# usage: bench/budget.sh [--cpu-isa ISA] [BUILD]
#        default: auto, and build with -DNMT_BENCHMARKS=ON; needs perf (Debian's linux-perf)
set -euo pipefail
here=$(dirname "$(realpath "$0")")
isa=auto
[[ ${1:-} != --cpu-isa ]] || { isa=${2:?--cpu-isa needs a value} && shift 2; }
build=$(realpath "${1:-$here/../build}")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

record() { # UPDATES COMMAND...
  local updates=$1
  shift
  coproc worker { exec "$@"; }
  local pid=$! perf
  echo 2 >&"${worker[1]}"
  read -r _ <&"${worker[0]}"
  perf record -q -F 1999 -o "$work/samples" -p "$pid" 2>/dev/null &
  perf=$!
  sleep 1
  echo "$updates" >&"${worker[1]}"
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
      if (symbol ~ /quantize/) return "quantizing rows"
      if (symbol ~ /top_k/) return "softmax over the vocabulary, the best of it"
      if (symbol ~ /linear_/) return "bias, activation and their gradients"
      if (symbol ~ /add_norm/) return "residual and layer norm"
      if (symbol ~ /draw|dropout|::apply/) return "dropout"
      if (symbol ~ /cross_entropy|_log_/) return "softmax cross-entropy"
      if (symbol ~ /softmax|attention|attend|score_keys|weigh/) return "attention, but for matrix products"
      if (symbol ~ /adam|sum_of_squares/) return "Adam and the gradient norm"
      if (symbol ~ /embedding/) return "embedding"
      return "everything else"
    }
    /^ *[0-9.]+%/ { share[operation($0)] += $1 }
    END { for (name in share) printf "%6.1f %%  %s\n", share[name], name }' | sort -rn
}

for model in "transformer-small 8000 40" "transformer-base 32000 6"; do
  read -r preset vocabulary updates <<<"$model"
  echo "== updates of $preset, vocabulary of $vocabulary"
  record "$updates" "$build/bench/bench_train_steps" "$preset" "$vocabulary" 80 1 f32 "$isa"
  summarize
done
for search in "transformer-small 8000 4 8" "transformer-small 8000 1 24" "transformer-base 32000 4 2"; do
  read -r preset vocabulary beam searches <<<"$search"
  for precision in f32 int8; do
    echo "== searches of $preset, vocabulary of $vocabulary, beam of $beam, $precision"
    record "$searches" "$build/bench/bench_translate_steps" "$preset" "$vocabulary" "$beam" 32 1 "$precision" "$isa"
    summarize
  done
done
