# Helpers of the cases that inject faults, sourced after lib.sh. A job is a function that runs nmt on files in the
# folder "work". "before" has its initial contents, "whole" its contents after a run without faults, and whole.out the
# output of that run.
# shellcheck shell=bash

shim=$(dirname "$NMT")/tests/libnmt_faults.so
[[ -f $shim ]] || skip "no $shim: built without tests, or with sanitizers, which replace the same functions"

# Changes to a folder in memory if possible, because thousands of fsync() take long on a disk.
work_in_memory() {
  local folder
  folder=$(mktemp -d -p /dev/shm 2>/dev/null) || return 0
  # shellcheck disable=SC2064
  trap "rm -rf '$folder'" EXIT
  cd "$folder" || exit
}

# Makes text, a vocabulary, settings of a small model (tiny) and of a short training with all features (little), the run
# "little", and its model.
make_little_run() {
  pairs 4711 10000 >text
  head -n 60 text >pairs
  head -n 40 pairs | cut -f 1 >train.src
  head -n 40 pairs | cut -f 2 >train.tgt
  tail -n 4 pairs | cut -f 1 >test.src
  tail -n 4 pairs | cut -f 2 >test.tgt
  nmt vocab -i train.src -i train.tgt -o words.spm --type word --size 40 --normalization identity --quiet
  tiny=(--preset transformer-tiny --d-model 16 --d-ff 16 --heads 2 --encoder-layers 1 --decoder-layers 1
    --warmup 8 --batch-tokens 80 --threads 1 --quiet)
  little=("${tiny[@]}" --vocab words.spm --source train.src --target train.tgt --valid-source test.src
    --valid-target test.tgt --best-by bleu --keep-best 2 --ema 0.9 --dropout 0.1 --steps 8 --log-every 3
    --valid-every 4 --save-every 3)
  nmt train "${little[@]}" -o little
  cp little/last.safetensors model.safetensors
}

# Runs a command with a fault (see tests/faults/faults.cpp).
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

# Prints the numbers of the calls at which to inject: all, or if there are more than MOST times NMT_FAULTS, a random
# sample of this size, the same one each time. NMT_FAULTS=all selects all.
numbers() { # KIND [MOST]
  local most=${calls[$1]}
  if [[ $# == 2 && $2 && ${NMT_FAULTS:-} != all ]]; then most=$(($2 * ${NMT_FAULTS:-1})); fi
  ((calls[$1] == 0)) || shuf --input-range "1-${calls[$1]}" --head-count "$most" --random-source text
}

# Checks that no file is incomplete: files are as before or as after, and checkpoints are valid.
check_sound() { # WHAT
  local file
  for file in before/*; do
    cmp -s "$file" "work/${file#*/}" || cmp -s "whole/${file#*/}" "work/${file#*/}" || fail "$1: broke ${file#*/}"
  done
  local models=(work/run/*.safetensors)
  if [[ -e ${models[0]} ]]; then nmt average "${models[@]}" -o checked --quiet || fail "$1: broke a checkpoint"; fi
}

# Checks that everything is as after a run without faults.
check_same() { # WHAT
  local file
  cmp -s out whole.out || fail "$1: other output"
  for file in before/*; do cmp -s "whole/${file#*/}" "work/${file#*/}" || fail "$1: another ${file#*/}"; done
  [[ ! -d whole/run ]] || same_run work/run whole/run
}
