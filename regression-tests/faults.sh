# Helpers of the cases that inject faults, on top of lib.sh. A job is a function that runs nmt on files in the folder
# "work". What is there before is in "before"; what a run without faults leaves is "whole", and its output whole.out.
# shellcheck shell=bash

shim=$(dirname "$NMT")/tests/libnmt_faults.so
[[ -f $shim ]] || skip "no $shim: built without tests, or with sanitizers, which replace the same functions"

# Goes into a folder in memory where that is possible: thousands of fsync() take long on a disk.
work_in_memory() {
  local folder
  folder=$(mktemp -d -p /dev/shm 2>/dev/null) || return 0
  # shellcheck disable=SC2064
  trap "rm -rf '$folder'" EXIT
  cd "$folder" || exit
}

# Text, a vocabulary, settings of a model (tiny) and of a short training that does all that a run does (little), the run
# "little" of it, and its model.
make_little_run() {
  pairs 4711 10000 >text
  head -n 60 text >pairs
  head -n 40 pairs | cut -f 1 >train.src
  head -n 40 pairs | cut -f 2 >train.tgt
  tail -n 4 pairs | cut -f 1 >test.src
  tail -n 4 pairs | cut -f 2 >test.tgt
  nmt vocab -i train.src -i train.tgt -o words.spm --type word --size 40 --normalization identity --quiet
  tiny=(--preset transformer-tiny --d-model 16 --d-ff 16 --heads 2 --encoder-layers 1 --decoder-layers 1
    --warmup 10 --batch-tokens 80 --threads 1 --quiet)
  little=("${tiny[@]}" --vocab words.spm --source train.src --target train.tgt --valid-source test.src
    --valid-target test.tgt --best-by bleu --keep-best 2 --ema 0.9 --dropout 0.1 --steps 8 --log-every 3
    --valid-every 4 --save-every 3)
  nmt train "${little[@]}" -o little
  cp little/last.safetensors model.safetensors
}

# Runs a command in which a fault strikes (see tests/faults/faults.cpp).
with_fault() { # FAULT COMMAND...
  NMT_FAULT=$1 LD_PRELOAD=$shim "${@:2}"
}

# Runs a job without faults, to "whole" and whole.out, and counts its calls of each kind.
declare -A calls
begin_job() { # JOB
  local kind number
  rm -rf work whole
  cp -r before work
  NMT_FAULT_COUNT=$PWD/calls LD_PRELOAD=$shim "$1" >whole.out 2>err || fail "$1 fails: $(<err)"
  mv work whole
  while read -r kind number; do calls[$kind]=$number; done <calls
}

# The numbers of the calls to strike at: all, or where there are more than MOST times NMT_FAULTS, so many of them, drawn
# at random, the same ones each time. NMT_FAULTS=all leaves none out.
numbers() { # KIND [MOST]
  local most=${calls[$1]}
  if [[ $# == 2 && $2 && ${NMT_FAULTS:-} != all ]]; then most=$(($2 * ${NMT_FAULTS:-1})); fi
  ((calls[$1] == 0)) || shuf --input-range "1-${calls[$1]}" --head-count "$most" --random-source text
}

# Nothing is half written: files are as before or as they should be, and what looks like a checkpoint is one.
check_sound() { # WHAT
  local file
  for file in before/*; do
    cmp -s "$file" "work/${file#*/}" || cmp -s "whole/${file#*/}" "work/${file#*/}" || fail "$1: broke ${file#*/}"
  done
  local models=(work/run/*.safetensors)
  if [[ -e ${models[0]} ]]; then nmt average "${models[@]}" -o checked --quiet || fail "$1: broke a checkpoint"; fi
}

# All is as it should be.
check_same() { # WHAT
  local file
  cmp -s out whole.out || fail "$1: other output"
  for file in before/*; do cmp -s "whole/${file#*/}" "work/${file#*/}" || fail "$1: another ${file#*/}"; done
  [[ ! -d whole/run ]] || same_run work/run whole/run
}
