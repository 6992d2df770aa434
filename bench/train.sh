#!/usr/bin/env bash
# Speed of training on the CPU in f32, compared with PyTorch: full updates of 80 sentences of 25 tokens, with the
# dropout of the presets, alternating.
#
#   bench/train.sh [BUILD] [PYTHON ...]     default: build, /usr/bin/python3
#
# BUILD: a build with -DNMT_BENCHMARKS=ON; PYTHON: one or more Pythons with torch. ROUNDS sets the number of rounds. Two
# threads are compared with one instead.
set -euo pipefail
here=$(dirname "$(realpath "$0")")
build=$(realpath "${1:-$here/../build}")
shift || true
cd "$here"
pythons=("${@:-/usr/bin/python3}")
rounds=${ROUNDS:-7}

# Settings for old processors, which some machines have, halve the speed of PyTorch's matrix products; returning memory
# to the system after each step costs as much.
unset OPENBLAS_CORETYPE OPENBLAS_L2_SIZE
export MALLOC_MMAP_THRESHOLD_=4294967296 MALLOC_TRIM_THRESHOLD_=17179869184
export OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1

# Without another BLAS, Debian's python3-torch uses the reference BLAS, without a warning: too slow for a comparison.
check_products() {  # PYTHON
  "$1" - <<'END'
import sys, time, torch
matrix = torch.ones(1024, 1024)
def seconds():
    begin = time.process_time()
    matrix @ matrix
    return time.process_time() - begin
speed = 2 * 1024**3 / min(seconds() for _ in range(3)) / 1e9
if speed < 20:
    sys.exit(f"error: PyTorch of {sys.executable} has no fast BLAS ({speed:.1f} GFLOP/s); install libopenblas0")
END
}

compare() {  # PRESET VOCABULARY UPDATES
  echo "== $1, vocabulary of $2"
  local workers=("nmt=$build/bench/bench_train_steps $1 $2 80 1")
  for python in "${pythons[@]}"; do
    workers+=("pytorch-$("$python" -c 'import torch; print(torch.__version__)')=$python train_pytorch.py $1 $2 80 1")
  done
  ./alternate.py --rounds "$rounds" --updates "$3" "${workers[@]}"
  ./alternate.py --rounds "$rounds" --updates "$3" "2-threads=$build/bench/bench_train_steps $1 $2 80 2" \
    "1-thread=$build/bench/bench_train_steps $1 $2 80 1"
}

for python in "${pythons[@]}"; do check_products "$python"; done
compare transformer-small 8000 3
compare transformer-base 32000 1
compare rnn-small 8000 3
