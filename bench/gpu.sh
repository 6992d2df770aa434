#!/usr/bin/env bash
# Tests and benchmarks that need a machine with an NVIDIA GPU: correctness of the CUDA backend, and its speed. Tests
# whose failure would make the rest useless come first. Prints a table at the end and writes its lines to figures.json,
# which roofline.py compares with its formulas. Failures are named, and the rest continues.
#
#   gpu.sh [--quick] [--minutes N] [--data DIR] [--out DIR] [--build DIR] [PART...]
#
#   --quick      trains for a shorter time and measures less
#   --minutes N  maximum duration (default: 25, with --quick 9); parts that have not begun by then count as failed
#   --data DIR   Multi30k: train, valid and test2016 as .en and .de, plain or compressed; without it nothing is trained
#   --out DIR    folder for logs and runs (default: gpu-out)
#   --build DIR  outside of a bundle: a build with -DNMT_BENCHMARKS=ON (default: build, which is made if it is missing)
#   PART         some of: facts fragments parity models translation training operations text profile sanitizer (default: all,
#                in this order, so that a short time goes to what matters most)
#
# In a folder made by bench/bundle.sh, the programs in it are tested. Environment: GPU is the device (cuda); PYTHON a
# Python with torch, cublasLt, cuDNN and NCCL (python3); PEAK_TFLOPS and TERABYTES the limits of the GPU (790 and 4.3:
# an H200); MODELS the models to train, as "PRESET VOCABULARY SENTENCES GIGAFLOP-PER-TOKEN;...".
set -uo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
quick='' minutes='' data='' out=gpu-out build=$here/../build parts=()
while (($# > 0)); do
  case $1 in
    --quick) quick=yes ;;
    --minutes) minutes=${2:?} && shift ;;
    --data) data=$(realpath "${2:?}") && shift ;;
    --out) out=${2:?} && shift ;;
    --build) build=${2:?} && shift ;;
    -*) sed -n '2,/^set/ { /^# \?/ s/// p }' "$0" >&2 && exit 2 ;;
    *) parts+=("$1") ;;
  esac
  shift
done
if ((${#parts[@]} == 0)); then
  parts=(facts fragments parity models translation training operations text profile sanitizer)
fi
gpu=${GPU:-cuda} python=${PYTHON:-python3} peak=${PEAK_TFLOPS:-790} terabytes=${TERABYTES:-4.3}
# 6 operations per weight for each pair of tokens in its products.
models=${MODELS:-transformer-base 32000 1000 0.3625;transformer-big 32000 1000 1.2540}
mkdir -p "$out"
out=$(realpath "$out")
: >"$out/table"
: >"$out/rows"

row() { # PART RESULT DETAILS [FIGURE]
  printf '%-34s %-8s %s\n' "$1" "$2" "$3" | tee -a "$out/table" >&2
  printf '%s\t%s\t%s\t%s\n' "$1" "$2" "$(tr -d '\t\n' <<<"$3")" "${4:-}" >>"$out/rows"
}

# Whether the backend warned that an NVIDIA library refused an operation and its own kernels replaced it.
refusals='a slower kernel does|other kernels compute|computed step by step'

# Prints the seconds for a step: the requested number, but no more than remain.
limit() { # SECONDS
  local left=$((60 * minutes - SECONDS))
  echo $(($1 < left ? $1 : left > 0 ? left : 0))
}

# Runs a command with a time limit, or not at all if no time remains.
within() { # SECONDS COMMAND...
  local most
  most=$(limit "$1")
  ((most > 0)) && timeout --kill-after 5 "$most" "${@:2}"
}

# Prints all rows as a JSON list of objects, with numbers where possible.
write_figures() {
  "$python" - "$out/rows" >"$out/figures.json" <<'END'
import json, sys

rows = [line.rstrip("\n").split("\t") for line in open(sys.argv[1])]
print(json.dumps([{"part": part.strip(), "result": result, "details": details, **({"figure": float(figure)} if figure else {})}
                  for part, result, details, figure in rows], indent=1))
END
}

# Runs a step with its output in a log, and adds failures and refusals to the table.
attempt() { # NAME SECONDS LOG COMMAND...
  local status=0 most refusal
  most=$(limit "$2")
  within "$2" "${@:4}" >"$out/$3" 2>&1 || status=$?
  if ((most == 0)); then
    row "$1" FAILED "there was no time left"
  elif ((status == 124 || status == 137)); then
    row "$1" FAILED "took more than $most s; see $out/$3"
  elif ((status != 0)); then
    row "$1" FAILED "exit code $status: $(grep -v '^ *$' "$out/$3" | tail -n 1 | cut -c 1-120); see $out/$3"
  elif refusal=$(grep -m 1 -aE "$refusals" "$out/$3"); then
    row "$1" FAILED "$refusal; see $out/$3"
  else
    return 0
  fi
  return 1
}

seconds() { # QUICK USUAL
  if [[ $quick ]]; then echo "$1"; else echo "$2"; fi
}
minutes=${minutes:-$(seconds 9 25)}

# Finds the programs, as in a bundle.
if [[ -x $here/bin/nmt ]]; then
  stage=$here
else
  if [[ ! -x $build/nmt ]]; then
    (cd "$here/.." && cmake --preset default -D NMT_BENCHMARKS=ON -D NMT_CUDA=ON && cmake --build --preset default) || exit 1
  fi
  stage=$out/stage
  "$here/bundle.sh" --build "$build" ${PLUGIN:+--plugin "$PLUGIN"} --folder "$stage" || exit 1
fi
bin=$stage/bin
export NMT_TEST_DATA=$stage/data
SECONDS=0 # what was built does not count

# NVIDIA's libraries may be where the system looks for them, in the folder of CUDA, or in Python packages.
sites=$(within 30 "$python" -c 'import site, sys; print("\n".join([*site.getsitepackages(), site.getusersitepackages(), *sys.path]))' 2>/dev/null)
folder_of() { # LIBRARY
  local folder
  if [[ $(ldconfig -p 2>/dev/null) == *"$1"* ]]; then return; fi
  while read -r folder; do
    if [[ -e $folder/$1 ]]; then echo "$folder" && return; fi
  done < <(printf '%s\n' /usr/local/cuda/lib64 && for site in $sites; do printf '%s\n' "$site"/nvidia/{cu13,cublas,cudnn,nccl}/lib; done)
}
libraries=$bin/lib
for library in libcublasLt.so.13 libcublasLt.so.12 libcudnn.so.9 libnccl.so.2; do
  folder=$(folder_of $library)
  libraries=$libraries${folder:+:$folder}
done
if ! LD_LIBRARY_PATH=$libraries within 30 "$bin/nmt" --version >/dev/null 2>&1; then libraries=$libraries:$stage/runtime; fi
# The libraries of the bundle are only for its programs; Python has its own.
ours=(env LD_LIBRARY_PATH="$libraries")
gpus=$(within 10 nvidia-smi --list-gpus 2>/dev/null | wc -l)

facts() {
  local device
  within 30 nvidia-smi --query-gpu=name,driver_version,memory.total,clocks.max.sm --format=csv,noheader 2>&1 | tee "$out/gpu.txt"
  attempt "device" 60 info.log "${ours[@]}" "$bin/nmt" info || return
  device=$(sed -n 's/^ *cuda  *//p' "$out/info.log")
  if [[ $device == cuda:* ]]; then
    row "device" passed "$device; $(<"$stage/VERSION")"
  else
    row "device" FAILED "$device"
  fi
}

# Tests the assumptions of mma.h about fragments.
fragments() {
  if [[ ! -x $bin/cuda_fragments ]]; then row "fragments of mma" skipped "cuda_fragments was not built" && return; fi
  attempt "fragments of mma" 60 fragments.log "$bin/cuda_fragments" && row "fragments of mma" passed ""
}

# Errors that cublasLt reports are kept next to the log.
tests() { # NAME SECONDS PROGRAM FILTER
  local name=${1//[^a-z0-9]/-} counts status=0
  rm -f "$out/$name.cublaslt"
  CUBLASLT_LOG_LEVEL=1 CUBLASLT_LOG_FILE=$out/$name.cublaslt \
    attempt "$1" "$2" "$name.log" "${ours[@]}" "$bin/$3" --gtest_brief=1 --gtest_filter="$4" || status=$?
  counts=$(grep -aE '^\[  (PASSED|FAILED|SKIPPED) +\] [0-9]+ test' "$out/$name.log" | tr -d '[]' | tr '\n' ' ')
  if [[ -s $out/$name.cublaslt ]]; then counts+="; cublasLt told of errors, see $out/$name.cublaslt"; fi
  if ((status != 0)); then
    grep -a '^\[  FAILED  \]' "$out/$name.log" | sort -u | head -n 20 | sed 's/^/    /' | tee -a "$out/table"
  elif [[ $counts == *SKIPPED* ]]; then
    row "$1" FAILED "skipped: $(grep -a -A 1 Skipped "$out/$name.log" | tail -n 1)"
  elif [[ $counts =~ PASSED\ +0\ tests ]]; then
    row "$1" FAILED "no test of $3 is named $4"
  else
    row "$1" passed "$counts"
  fi
}

parity() {
  local precision
  for precision in f32 bf16 f16; do
    tests "operations in $precision" "$(seconds 60 600)" test_backend "*cuda_$precision*"
  done
  NMT_CUDNN_ATTENTION=1 tests "attention by cuDNN" "$(seconds 60 120)" test_backend '*/Parity.*cuda_*16*_threads_attention'
  tests "gradients of operations in f32" 60 test_graph '*/cuda'
  tests "memory of the GPU" 60 test_backend '*Transfers*cuda*'
  tests "NCCL, one GPU" 60 test_backend 'RankOnGpusAlone*'
  if ((gpus > 1)); then
    tests "NCCL, two GPUs" 60 test_backend 'RanksOnGpus*'
    tests "training on two GPUs" 120 test_train '*Gpu*'
    two_processes
  else
    row "NCCL, two GPUs" skipped "there is one"
  fi
}

# Two processes with a GPU each must train the same small model as one process with both GPUs. Compares the bytes after
# the header, whose size is in the first eight bytes.
two_processes() {
  local name="training on two GPUs, processes" step run
  local train=("${ours[@]}" "$bin/nmt" train --preset transformer-tiny --d-model 32 --d-ff 64 --encoder-layers 1 --decoder-layers 1
    --vocab "$out/words.spm" --source "$out/words.7" --target "$out/words.9" --batch-tokens 200 --steps 10 --precision f32 --overwrite -o)
  if ! command -v mpirun >/dev/null; then row "$name" skipped "mpirun is not installed" && return; fi
  if [[ ! -f $bin/lib/libnmt_mpi.so ]]; then row "$name" skipped "nmt was built without MPI" && return; fi
  for step in 7 9; do
    awk -v step=$step 'BEGIN { for (; i < 500; ++i) for (j = 0; j < 20; ++j) printf "w%d%s", (i * 29 + j * step) % 100, j < 19 ? " " : "\n" }' >"$out/words.$step"
  done
  attempt "$name" 30 words.log "${ours[@]}" "$bin/nmt" vocab -i "$out/words.7" -o "$out/words.spm" --type word --size 103 || return
  attempt "$name" 60 one-process.log "${train[@]}" "$out/one-process" --device cuda:0,1 || return
  OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 attempt "$name" 60 two-processes.log \
    mpirun -n 2 "${train[@]}" "$out/two-processes" --device cuda || return
  for run in one-process two-processes; do
    tail -c "+$(($(od -An -tu8 -N8 "$out/$run/last.safetensors") + 9))" "$out/$run/last.safetensors" >"$out/$run.weights"
  done
  if cmp "$out/one-process.weights" "$out/two-processes.weights"; then
    row "$name" passed "the weights of one process with both GPUs"
  else
    row "$name" FAILED "other weights than one process with both GPUs"
  fi
}

# Whole models compared with PyTorch's layers in f64: log-probabilities, ten updates with their gradients, searches.
models() {
  tests "gradients and updates of models" "$(seconds 60 300)" test_optim '*/cuda:RoundedBatches*'
  tests "scores and searches of models" "$(seconds 60 300)" test_translate '*/cuda*'
  tests "state of training" 60 test_train '*/cuda'
}

sanitizer() {
  local tool limit
  limit=$(seconds 60 300)
  if ! command -v compute-sanitizer >/dev/null; then row "compute-sanitizer" skipped "it is not installed" && return; fi
  for tool in memcheck racecheck synccheck; do
    attempt "compute-sanitizer $tool" "$limit" "$tool.log" "${ours[@]}" compute-sanitizer --tool $tool \
      --error-exitcode 9 "$bin/test_optim" --gtest_filter='*TenUpdates*/cuda' && row "compute-sanitizer $tool" passed ""
  done
}

operations() {
  local precision
  for precision in bf16 f32; do
    attempt "times of operations, $precision" 120 "operations-$precision.log" "${ours[@]}" \
      "$bin/bench_operations" "$gpu" $precision "${SENTENCES:-1024}" "$peak" "$terabytes" || continue
    row "times of operations, $precision" passed "share of the floor at worst: $(sort -t ' ' -k 1 "$out/operations-$precision.log" |
      grep -a ' %$' | awk '{ print $(NF - 1), $0 }' | sort -n | head -n 1 | sed -E 's/^[0-9.]+ //; s/  +/ /g')"
    list_times "operations-$precision.log" "$precision"
  done
  # cuDNN's attention over long sequences, for comparison with the backend's lines above.
  attempt "times of attention by cuDNN" 120 operations-cudnn.log "${ours[@]}" NMT_CUDNN_ATTENTION=64 \
    "$bin/bench_operations" "$gpu" bf16 "${SENTENCES:-1024}" "$peak" "$terabytes" || return
  row "times of attention by cuDNN" passed "attention over 1024: $(sed -n 's/^attention over 1024  *//p' "$out/operations-cudnn.log")"
  list_times operations-cudnn.log cuDNN 'attention over'
}

# Adds lines of bench_operations to the table, with figures in ms.
list_times() { # LOG WHAT [PATTERN]
  grep -a "${3:-.}" "$out/$1" | sed "s/^/    $2: /" >>"$out/table"
  grep -a "${3:-.}" "$out/$1" | sed -nE "s/^(.*[^ ]) +([0-9.]+) ms +(floor .*)/$2: \\1\tmeasured\t\\3\t\\2/p" >>"$out/rows"
}

# Prints the tokens per second of a worker of alternate.py; nothing if it fails. If a library refused, the figure is
# that of the slower kernels.
speed_of() { # NAME LOG WORKER...
  local rounds updates
  rounds=$(seconds 3 7) updates=${UPDATES:-$(seconds 10 30)}
  attempt "$1" "$(seconds 120 240)" "$2" "$python" "$stage/alternate.py" --rounds "$rounds" --updates "$updates" "worker=${*:3}"
  sed -n 's/^worker: \([0-9]*\) tokens.*/\1/p' "$out/$2"
}

training() {
  local preset vocabulary sentences gigaflop precision speed peer
  while read -r preset vocabulary sentences gigaflop; do
    for precision in bf16 f16 tf32 f32; do
      if [[ $quick && $precision != bf16 ]]; then continue; fi
      speed=$(speed_of "training $preset, $precision" "train-$preset-$precision.log" "${ours[@]}" \
        "$bin/bench_train_steps" "$preset" "$vocabulary" "$sentences" 1 $precision "$gpu" | tail -n 1)
      [[ $speed =~ ^[0-9]+$ ]] || continue
      row "training $preset, $precision" measured \
        "$speed target tokens/s, $(awk "BEGIN { printf \"%.1f\", $speed * $gigaflop / 10 / $peak }") % of $peak TFLOP/s" "$speed"
      if [[ $precision != bf16 ]]; then continue; fi
      if ! within 60 "$python" -c 'import torch; assert torch.cuda.is_available()' 2>/dev/null; then
        row "  PyTorch" skipped "$python has no torch that sees a GPU" && continue
      fi
      peer=$(speed_of "  PyTorch" "torch-$preset.log" "$python" "$stage/peers/torch_transformer.py" "$preset" "$vocabulary" "$sentences" | tail -n 1)
      [[ $peer =~ ^[0-9]+$ ]] || continue
      row "  PyTorch, compiled, bf16" measured "$peer target tokens/s; nmt is $(awk "BEGIN { printf \"%.2f\", $speed / $peer }") times as fast" "$peer"
    done
  done < <(tr ';' '\n' <<<"$models")
}

translation() {
  local preset vocabulary rest beam sentences streams precision speed peer='' name what times
  if within 60 "$python" -c 'import ctranslate2; assert ctranslate2.get_cuda_device_count()' 2>/dev/null; then
    peer=$stage/peers/ctranslate2_transformer.py
  else
    row "translation: CTranslate2" skipped "$python has no ctranslate2 that sees a GPU"
  fi
  while read -r preset vocabulary rest; do
    for precision in bf16 f32; do
      for beam in 4 1; do
        for sentences in 128 1; do
          for streams in 1 2 4; do
            if [[ $quick && ($precision == f32 || $preset == *big || $streams == 4) ]]; then continue; fi
            name="translation $preset, $precision" what=("$preset" "$vocabulary" "$beam" "$sentences")
            speed=$(UPDATES=1 speed_of "$name" "translate-$preset-$precision-$beam-$sentences-$streams.log" \
              "${ours[@]}" "$bin/bench_translate_steps" "${what[@]}" "$streams" $precision "$gpu" | tail -n 1)
            [[ $speed =~ ^[0-9]+$ ]] || continue
            times=''
            if [[ $peer && $streams == 1 ]]; then
              times=$(UPDATES=1 speed_of "$name, CTranslate2" "ctranslate2-$preset-$precision-$beam-$sentences.log" \
                "$python" "$peer" "${what[@]}" $precision | tail -n 1)
              if [[ $times =~ ^[0-9]+$ ]]; then times="; CTranslate2 $times"; else times='; CTranslate2 failed'; fi
            fi
            row "$name" measured "beam $beam, $streams x $sentences sentences at once: $speed target tokens/s$times" "$speed"
          done
        done
      done
    done
  done < <(tr ';' '\n' <<<"$models")
}

gpu_memory() { within 10 nvidia-smi --query-gpu=memory.used --format=csv,noheader,nounits 2>/dev/null | head -n 1; }

text_file() { compgen -G "$data/$1*" | head -n 1; }

# Trains on Multi30k, and reports BLEU, intermediate losses, and memory.
train_text() { # PRECISION SECONDS
  local name="Multi30k in $1" log=text-$1 run=$out/run-$1 before most=0 now process foreseen score
  local train=("${ours[@]}" "$bin/nmt" train --preset "${PRESET:-transformer-small}" --vocab "$out/shared.spm"
    --source "$(text_file train.en)" --target "$(text_file train.de)" --warmup 1000 --learning-rate 0.8
    --batch-tokens "${BATCH_TOKENS:-6000}" --save-every 25 --keep-last 4 --log-every 25 --device "$gpu" --precision "$1" --overwrite -o "$run")
  attempt "$name: plan" 60 "$log-plan.log" "${train[@]}" --dry-run || return
  foreseen=$(sed -n 's/^# memory: \([0-9]*\) MiB at the peak with [0-9]* tokens at once; \([0-9]*\) .*/\1 \2/p' "$out/$log-plan.log" | awk '{ print $1 - $2 }')
  before=$(gpu_memory)
  attempt "$name" $(($2 + 120)) "$log.log" "${train[@]}" --stop-after "$(awk "BEGIN { print $2 / 60 }")m" \
    --valid-source "$(text_file valid.en)" --valid-target "$(text_file valid.de)" --valid-every 1m --valid-beam 1 &
  process=$!
  while kill -0 $process 2>/dev/null; do
    now=$(gpu_memory)
    if ((${now:-0} > most)); then most=$now; fi
    sleep 1
  done
  wait $process || return
  within 60 "${ours[@]}" "$bin/nmt" average "$run" --last 4 -o "$run/averaged.safetensors" >"$out/$log-average.log" 2>&1 ||
    cp "$run/last.safetensors" "$run/averaged.safetensors"
  attempt "$name: translation" 120 "$log-translation.log" "${ours[@]}" "$bin/nmt" translate -m "$run/averaged.safetensors" \
    --device "$gpu" --precision "$1" -i "$(text_file test2016.en)" -o "$run/test2016.de" || return
  attempt "$name: BLEU" 60 "$log-bleu.log" "${ours[@]}" "$bin/nmt" bleu "$(text_file test2016.de)" -i "$run/test2016.de" --score-only || return
  score=$(tail -n 1 "$out/$log-bleu.log")
  row "$name" measured "$score BLEU of test2016 after $(grep -c '"event":"train"' "$run/metrics.jsonl") x 25 updates, $2 s" "$score"
  if ((most > 0)); then
    row "$name: memory of the GPU" measured \
      "$((most - before)) MiB with CUDA's own, ${foreseen:-?} MiB foreseen beside weights and gradients" $((most - before))
  fi
  sed -n 's/.*"event":"train","step":\([0-9]*\).*"loss":\([0-9.]*\).*/\1 \2/p' "$run/metrics.jsonl" >"$out/losses-$1"
}

# Counts the lines that the GPU translates like the CPU, with f32 weights and arithmetic on both.
same_lines() { # MODEL
  local device place share
  for device in cpu "$gpu"; do
    place=$([[ $device == cpu ]] && echo cpu || echo gpu)
    attempt "lines as on the CPU, f32" "$(seconds 120 300)" "lines-$place.log" "${ours[@]}" "$bin/nmt" translate \
      -m "$1" --device "$device" --precision f32 -i "$(text_file test2016.en)" -o "$out/lines-$place.de" || return
  done
  share=$(paste -d $'\001' "$out/lines-cpu.de" "$out/lines-gpu.de" | awk -F '\001' '{ same += $1 == $2 } END { printf "%.1f", 100 * same / NR }')
  row "lines as on the CPU, f32" measured "$share % of $(wc -l <"$out/lines-cpu.de") at the default beam" "$share"
}

text() {
  local precision limit
  limit=${TEXT_SECONDS:-$(seconds 60 240)}
  if [[ -z $data ]]; then row "Multi30k" skipped "no --data" && return; fi
  if [[ ! -f $out/shared.spm ]]; then
    attempt "Multi30k: vocabulary" 120 vocabulary.log "${ours[@]}" "$bin/nmt" vocab -i "$(text_file train.en)" \
      -i "$(text_file train.de)" -o "$out/shared.spm" --size "${VOCABULARY:-8000}" || return
  fi
  for precision in bf16 f32; do train_text $precision "$limit"; done
  if [[ -s $out/losses-bf16 && -s $out/losses-f32 ]]; then
    row "losses of bf16 and f32" measured "by update: $(join <(sort "$out/losses-bf16") <(sort "$out/losses-f32") | sort -n |
      awk '{ line[NR] = $1 ": " $2 " " $3 } END { for (i = 1; i <= 8; ++i) printf "%s%s", line[int((NR * i + 7) / 8)], i < 8 ? ", " : "" }')"
  fi
  if [[ -s $out/run-f32/averaged.safetensors ]]; then same_lines "$out/run-f32/averaged.safetensors"; fi
}

# Adds up ncu's times by kernel, longest first: ms, calls, name.
sum_kernels() { # FILE
  within 60 "$python" - "$1" <<'END'
import collections, csv, re, sys

sums = collections.defaultdict(lambda: [0.0, 0])
for row in csv.DictReader(line for line in open(sys.argv[1]) if line.startswith('"')):
    entry = sums[re.sub(r"\(.*|^void |nmt::|<?unnamed>?::", "", row["Kernel Name"])]
    entry[0] += float(row["Metric Value"].replace(",", "")) / 1e6
    entry[1] += 1
for name, (milliseconds, calls) in sorted(sums.items(), key=lambda item: -item[1][0]):
    print(f"{milliseconds:9.3f} {calls:5} {name}")
END
}

# Profiles two updates and two searches, kernel by kernel.
profile() {
  local preset vocabulary sentences rest ncu worker name
  ncu=$(command -v ncu || compgen -G '/opt/nvidia/nsight-compute/*/ncu' | tail -n 1)
  if [[ ! $ncu ]]; then row "profile" skipped "ncu is not installed" && return; fi
  read -r preset vocabulary sentences rest <<<"${models%%;*}"
  echo 2 >"$out/updates"
  for worker in "bench_train_steps $preset $vocabulary $sentences 1" "bench_translate_steps $preset $vocabulary 4 128 1"; do
    read -r name _ <<<"$worker"
    attempt "profile: $name" 120 "profile-$name.log" "${ours[@]}" bash -c "exec \"\$@\" <'$out/updates'" worker \
      "$ncu" --clock-control none --cache-control none --metrics gpu__time_duration.sum --print-units base --csv \
      --log-file "$out/$name.csv" "$bin/$name" ${worker#* } bf16 "$gpu" || continue
    sum_kernels "$out/$name.csv" >"$out/kernels-$name.log"
    row "profile: $name" passed "ms, calls: $(head -n 3 "$out/kernels-$name.log" | tr -s ' ' | tr '\n' ';') see $out/kernels-$name.log"
  done
}

for part in "${parts[@]}"; do
  case $part in
    facts | fragments | parity | sanitizer | models | text | operations | training | translation | profile)
      echo "== $part"
      if (($(limit 1) > 0)); then "$part"; else row "$part" FAILED "there was no time left"; fi
      write_figures
      ;;
    *) row "$part" FAILED "there is no such part" ;;
  esac
done
echo
echo "== all"
cat "$out/table"
write_figures
failures=$(grep -c '^.\{34,\} FAILED ' "$out/table")
echo "$failures failed"
exit $((failures > 0))
