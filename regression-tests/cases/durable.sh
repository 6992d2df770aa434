#!/usr/bin/env bash
# A file is on disk before it is renamed, and its folder is synced before the program continues, so a power failure
# leaves either the old file or the complete new one.
. "$(dirname "$0")/../lib.sh"
. "$(dirname "$0")/../faults.sh"
work_in_memory
make_little_run
export TMPDIR=$PWD

# Checks the order of calls of a job that writes N files (see NMT_FAULT_TRACE in tests/faults/faults.cpp).
check_order() { # FILES COMMAND...
  NMT_FAULT_TRACE=$PWD/trace LD_PRELOAD=$shim "${@:2}" >out 2>err || fail "${*:2}: $(<err)"
  awk -v folder="$(pwd -P)/" -v least="$1" '
    function absolute(path) { return path ~ /^\// ? path : folder path }
    $1 == "write" { unsynced[$2] = 1 }
    $1 == "fsync" { delete unsynced[$2]; synced[$2] = NR }
    $1 == "rename" && $2 ~ /\.tmp$/ {
      if (absolute($2) in unsynced) { print "not on disk before it is renamed: " $0; bad = 1 }
      renamed[++count] = NR
      name[count] = absolute($3)
    }
    END {
      for (i = 1; i <= count; ++i) {
        parent = name[i]
        sub(/\/[^\/]*$/, "", parent)
        if (synced[parent] < renamed[i]) { print "its folder is not on disk: " name[i]; bad = 1 }
      }
      if (count < least) { print "only " count " files are renamed"; bad = 1 }
      exit bad
    }' trace >wrong || fail "${*:2}: $(<wrong)"
}

mkdir work
check_order 1 nmt vocab -i train.src -i train.tgt -o work/words.spm --type word --size 40 --quiet
check_order 1 nmt batch --source train.src --target train.tgt --vocab words.spm -o work/pairs.nmtc --threads 1 --quiet
check_order 1 nmt convert -m model.safetensors --precision int8 -o work/small.safetensors --quiet
check_order 1 nmt average little --last 2 -o work/mean.safetensors --quiet
for name in text text.gz; do
  check_order 1 nmt translate -m model.safetensors --threads 1 --quiet -i test.src -o work/$name
done
# A folder, new or replacing another one.
check_order 2 nmt convert -m model.safetensors --to ctranslate2 -o work/folder --quiet
check_order 2 nmt convert -m model.safetensors --to ctranslate2 -o work/folder --overwrite --quiet
check_order 4 nmt train "${little[@]}" -o work/run
same_run work/run little
