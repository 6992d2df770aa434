#!/usr/bin/env bash
# nmt on a CUDA device, which is the emulator of the tests: training that continues as if uninterrupted, translations
# and scores as on the CPU, and messages without a GPU.
. "$(dirname "$0")/../lib.sh"
skip_sanitized "they do not build the emulator"
build=$(dirname "$(realpath "$NMT")")
plugin=$build/tests/lib/libnmt_cuda.so
[[ -f $plugin ]] || skip "the emulator was not built: it takes headers of the CUDA Toolkit"
make_model
head -n 8 test.src >few.src
head -n 8 test.tgt >few.tgt

# A copy of the program next to the emulator's library.
mkdir -p here/lib
cp "$NMT" here/nmt
cp "$plugin" here/lib
cuda() { overriding here/nmt "$@" --quiet; }

same_losses() { # COUNT RUN RUN [DIFFERENCE]: the first COUNT losses are the same up to rounding
  paste <(grep -o '"loss":[0-9.]*' "$2/metrics.jsonl" | cut -d : -f 2) \
    <(grep -o '"loss":[0-9.]*' "$3/metrics.jsonl" | cut -d : -f 2) | sed -n "1,$1p" |
    awk -v most="${4:-1e-6}" '{ d = $1 / $2 - 1; if (d > most || d < -most) { print; exit 1 } }' || fail "losses of $2 and $3 differ"
}

tensors() { # MODEL: what follows its header, which tells more than the weights
  tail -c "+$(($(od -An -tu8 -N8 "$1") + 9))" "$1"
}

same_weights() { # RUN RUN
  cmp <(tensors "$1/last.safetensors") <(tensors "$2/last.safetensors")
}

training=(train --preset transformer-tiny --d-model 16 --d-ff 32 --heads 2 --encoder-layers 1 --decoder-layers 1
  --vocab words.spm --source train.src --target train.tgt --batch-tokens 60 --warmup 20 --learning-rate 2
  --dropout 0.1 --ema 0.9 --log-every 5 --device cuda)
for precision in f32 bf16 f16; do
  cuda "${training[@]}" --precision $precision --steps 30 --save-every 15 -o $precision
  grep -qx "precision: $precision" $precision/config.yml || fail "the run does not tell its precision"
  losses=$(grep -o '"loss":[0-9.]*' $precision/metrics.jsonl | cut -d : -f 2)
  holds "$(tail -n 1 <<<"$losses") < 0.9 * $(head -n 1 <<<"$losses")"
  cuda "${training[@]}" --precision $precision --steps 15 --save-every 15 -o parts-$precision
  cuda train -o parts-$precision --steps 30
  same $precision/last.safetensors parts-$precision/last.safetensors
done
cuda "${training[@]}" --steps 1 -o resolved
grep -qx 'precision: bf16' resolved/config.yml || fail "auto is not bf16 on a GPU"
overriding nmt train "${training[@]:1}" --device cpu --precision f32 --steps 30 --quiet -o cpu
# Training amplifies rounding differences, so later losses say less.
same_losses 3 cpu f32

# Minimum risk training draws the same samples as on the CPU.
for device in cpu cuda; do
  cuda train --from-weights model.safetensors --source few.src --target few.tgt --batch-tokens 60 --dropout 0 --risk chrf \
    --risk-samples 3 --steps 1 --log-every 1 --device $device --precision f32 -o risk-$device
done
same_losses 1 risk-cpu risk-cuda

# Two GPUs give the same result as one, and a run can continue on any number of them.
cuda "${training[@]}" --precision f32 --steps 10 --device cuda:0,1 -o two-gpus
same_losses 2 two-gpus f32
cuda "${training[@]}" --precision f32 --steps 5 --device cuda:all -o gpus
cuda train -o gpus --steps 10
same_weights two-gpus gpus
cuda train -o gpus --steps 15 --device cuda
same_losses 3 gpus f32
refuses 2 "cuda:0 twice" overriding here/nmt "${training[@]}" --device cuda:0,0 -o none
refuses 2 "cuda:7 does not exist: this machine has cuda:0 to cuda:1" overriding here/nmt "${training[@]}" --device cuda:0,7 -o none
[[ ! -e none ]] || fail "a run that cannot be leaves a directory"

# A GPU that hangs ends the run. The message names it, not the GPU that waits for it, and the same command continues.
hanging() { # SECONDS OPERATIONS COMMAND...
  NMT_GPU_TIMEOUT=$1 NMT_EMULATOR_HANG=1:$2 timeout 300 "${@:3}"
}
cuda "${training[@]}" --precision f32 --steps 5 --save-every 1000 --device cuda:0,1 -o hung
refuses 1 "cuda:1 hangs: .* for 15 seconds" hanging 15 2000 here/nmt train -o hung --steps 0 --quiet
cuda train -o hung --steps 10
same_weights hung two-gpus

# A GPU that loses its connection or fails also ends the run, whatever it is doing.
lost() { NMT_EMULATOR_LOST=1:20 timeout 300 "$@"; }
refuses 1 "cuda:1.* socketProgress: Connection closed by remote peer" lost here/nmt train -o hung --steps 0 --quiet
for calls in 20 50 100 200; do
  NMT_EMULATOR_FAIL=$calls exits 1 here/nmt translate -m model.safetensors --device cuda <few.src >translated 2>messages
  grep -Eq "^error: cuda:0 failed: an illegal memory access" messages || fail "says of a failure: $(<messages)"
done
NMT_EMULATOR_FAIL=3000 refuses 1 "failed: an illegal memory access" here/nmt train -o hung --steps 0 --quiet

# Processes on one machine divide its GPUs, one or several for each, and give the same result as one process.
if command -v mpirun >/dev/null && [[ -f $build/lib/libnmt_mpi.so ]]; then
  cp "$build/lib/libnmt_mpi.so" here/lib
  if [[ $(id -u) == 0 ]]; then export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1; fi
  export OMPI_MCA_rmaps_base_oversubscribe=1 OMPI_MCA_hwloc_base_binding_policy=none
  export OMPI_MCA_btl_vader_single_copy_mechanism=none # as in most containers
  processes() { # PROCESSES GPUS OPTION...
    NMT_EMULATOR_GPUS=$2 overriding mpirun -n "$1" here/nmt "${training[@]}" --precision f32 --quiet "${@:3}"
  }
  processes 2 2 --steps 10 -o two-processes
  same_weights two-processes two-gpus
  NMT_EMULATOR_GPUS=4 cuda "${training[@]}" --precision f32 --steps 5 --device cuda:all -o four-gpus
  processes 2 4 --steps 5 --device cuda:all -o four
  same_weights four four-gpus
  processes 2 2 --steps 10 -o four
  same_losses 2 four f32
  processes 2 5 --dry-run --device cuda:0,1,4 -o none >dry
  grep -q "each update is partitioned over 3 GPUs on 1 machine" dry || fail "got: $(<dry)"
  refused() { # PATTERN PROCESSES GPUS OPTION...
    processes "${@:2}" -o none >/dev/null 2>err && fail "not refused: ${*:2}"
    equal "$(grep -ac "^error: " err)" 1 "errors of: ${*:2}: $(<err)"
    grep -aq "^error: .*$1" err || fail "expected '$1', got: $(<err)"
  }
  refused "3 processes are to share 2 GPUs" 3 2
  refused "2 processes are to share 1 GPU" 2 2 --device cuda:1
  [[ ! -e none ]] || fail "a run that cannot be leaves a directory"

  # If one is killed, the others do not wait for it.
  NMT_EMULATOR_GPUS=4 overriding exec mpirun -n 2 here/nmt "${training[@]}" --device cuda:all --steps 0 --quiet -o killed 2>err &
  until [[ -s killed/metrics.jsonl ]]; do
    kill -0 $! || fail "training ended: $(<err)"
    sleep 0.05
  done
  kill -KILL "$(pgrep -P $! | sort -n | tail -n 1)"
  wait $! && fail "mpirun tells no failure"
  grep -aq "^error: rank 1 .* has ended, and so all others end" err || fail "got: $(<err)"
  hanging 15 2000 mpirun -n 2 here/nmt "${training[@]}" --steps 0 --quiet -o hung-process 2>err && fail "mpirun tells no failure"
  equal "$(grep -ac "^error: " err)" 1 "errors where a GPU hangs: $(<err)"
  grep -aEq "^error: rank 1 \(.*cuda:1 hangs" err || fail "got: $(<err)"
fi

NMT_EMULATOR_GPUS=2 refuses 1 "cuda:1 hangs" hanging 1 100 here/nmt translate -m model.safetensors --device cuda:1 <few.src

for options in "--beam 4" "--beam 1"; do
  # shellcheck disable=SC2086
  nmt translate -m model.safetensors --device cpu --precision f32 $options <few.src >cpu.out
  # shellcheck disable=SC2086
  cuda translate -m model.safetensors --device cuda --precision f32 $options <few.src >cuda.out
  same cpu.out cuda.out
done
for _ in {1..12}; do cat few.src; done >more.src
(($(wc -c <more.src) > 2048)) || fail "too little text for two threads"
for streams in 1 2; do
  cuda translate -m model.safetensors --device cuda --scores --max-length-factor 0 --max-length-extra 3 --streams $streams \
    <more.src >$streams-streams.out
done
same 1-streams.out 2-streams.out
refuses 2 "streams: expected a whole number from 1" here/nmt translate -m model.safetensors --device cuda --streams 0 <few.src
nmt score -m model.safetensors --source few.src --target few.tgt --device cpu >cpu.scores
cuda score -m model.safetensors --source few.src --target few.tgt --device cuda --precision f32 >cuda.scores
paste cpu.scores cuda.scores | awk '{ d = $1 - $2; if (d > 1e-4 || d < -1e-4) { print; exit 1 } }' ||
  fail "scores differ from those of the CPU"
NMT_EMULATOR_PRODUCTS=refused here/nmt score -m model.safetensors --source few.src --target few.tgt --device cuda --precision f32 \
  >slow.scores 2>said
[[ $(grep -c "warning: cuda:0: cublasLt cannot multiply f32 matrices" said) == 1 ]] || fail "a slow kernel is not told of once: $(<said)"
paste cpu.scores slow.scores | awk '{ d = $1 - $2; if (d > 1e-4 || d < -1e-4) { print; exit 1 } }' ||
  fail "scores of the slow kernel differ from those of the CPU"
# Attention by cuDNN trains the same model up to rounding, and such a run continues as if uninterrupted.
plain=("${training[@]}" --dropout 0 --precision bf16)
cuda "${plain[@]}" --steps 10 -o kernels
export NMT_CUDNN_ATTENTION=1
cuda "${plain[@]}" --steps 10 -o cudnn
cuda "${plain[@]}" --steps 5 -o cudnn-parts
cuda train -o cudnn-parts --steps 10
same_weights cudnn cudnn-parts
same_losses 2 cudnn kernels 1e-2
! same_weights cudnn kernels >/dev/null || fail "cuDNN does not compute attention"
NMT_EMULATOR_LAYERS=refused overriding here/nmt "${plain[@]}" --steps 10 -o refused 2>said
[[ $(grep -c "warning: cuda:0: cuDNN has no attention for 2 heads of 8 columns" said) == 1 ]] || fail "said: $(<said)"
same_weights refused kernels
NMT_CUDNN_ATTENTION=long refuses 2 "NMT_CUDNN_ATTENTION is 'long': it takes a number of positions from 1" overriding here/nmt "${plain[@]}" -o none
unset NMT_CUDNN_ATTENTION

here/nmt info >info
grep -Eq '^ *cuda +cuda:0, ' info || fail "no GPU: $(<info)"

score=(score -m model.safetensors --source few.src --target few.tgt)
refuses 2 "cuda:9 does not exist: this machine has cuda:0 to cuda:1" here/nmt "${score[@]}" --device cuda:9
refuses 2 "expected one of auto, cpu, cuda, cuda:N, reference, got 'cuda:x'" here/nmt "${score[@]}" --device cuda:x
NMT_EMULATOR_CAPABILITY=80 refuses 2 "compute capability 8.0, but this build has code for 90-real only" here/nmt "${score[@]}" --device cuda
NMT_EMULATOR_GPUS=0 refuses 2 "no NVIDIA GPU" here/nmt "${score[@]}" --device cuda
NMT_EMULATOR_GPUS=-1 refuses 2 "no driver for NVIDIA GPUs" here/nmt "${score[@]}" --device cuda

# Without a GPU, the CPU computes, without a message.
NMT_EMULATOR_GPUS=0 here/nmt "${score[@]}" >auto.scores 2>said
same auto.scores cpu.scores
[[ ! -s said ]] || fail "said: $(<said)"
echo "no library" >here/lib/libnmt_cuda.so
refuses 2 "libnmt_cuda.so" here/nmt "${score[@]}" --device cuda
rm here/lib/libnmt_cuda.so
refuses 2 "no CUDA backend" here/nmt "${score[@]}" --device cuda
refuses 2 "f16 needs a CUDA device" here/nmt "${score[@]}" --device cpu --precision f16
