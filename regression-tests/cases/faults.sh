#!/usr/bin/env bash
# Whichever system call or allocation fails, there is one error line with exit code 1, no incomplete file, and the next
# run succeeds. If there are many calls of a kind, a sample of them is tried; NMT_FAULTS=N makes it N times as large,
# and NMT_FAULTS=all tries every call. JOBS names the jobs; the default is all.
. "$(dirname "$0")/../lib.sh"
. "$(dirname "$0")/../faults.sh"
work_in_memory
make_little_run
export TMPDIR=$PWD

vocab() {
  nmt vocab -i train.src -i train.tgt -o work/words.spm --type word --size 40 --normalization identity --quiet
}
batch() { nmt batch --source train.src --target train.tgt --vocab words.spm -o work/pairs.nmtc --overwrite --threads 1 --quiet; }
average() { nmt average little --last 2 -o work/mean.safetensors --quiet; }
convert() { nmt convert -m model.safetensors --precision int8 -o work/small.safetensors --quiet; }
translate() { nmt translate -m model.safetensors --threads 1 --quiet <test.src; }
translate_to_file() { nmt translate -m model.safetensors --threads 1 --quiet -i test.src -o work/text; }
translate_packed() { nmt translate -m model.safetensors --threads 1 --quiet -i test.src.xz -o work/text.gz; }
score() { nmt score -m model.safetensors --threads 1 --source test.src.zst --target test.tgt --quiet; }
bleu() { nmt bleu test.tgt -i test.src.gz; }
train() { nmt train "${little[@]}" -o work/run; }
gzip --keep test.src
xz --keep test.src
zstd --quiet test.src
mkdir before
for file in words.spm pairs.nmtc mean.safetensors small.safetensors text text.gz; do echo "what was there before" >before/$file; done

# Checks that a failed job ended with exit code 1 and one line, and left no temporary files.
check_failure() { # WHAT STATUS
  equal "$2" 1 "exit code of $1: $(<err)"
  [[ $(grep -v "^warning: cannot write '.*train.log'" err) =~ ^'error: '[^$'\n']*$ ]] || fail "$1: not one line but '$(<err)'"
  cmp -s -n "$(stat -c %s out)" out whole.out || fail "$1: other output"
  [[ ! -s out || -z $(tail -c 1 out) ]] || fail "$1: half a line on standard output"
  [[ $1 == *unlink* || -z $(find work -name '*.tmp' -o -name '*.new') ]] || fail "$1: left $(find work)"
  check_kept "$1"
  check_sound "$1"
}

# The message names the file with finished translations, which can be read and has complete lines.
check_kept() { # WHAT
  local file text name
  for file in work/*.partial*; do
    name=${file##*/}
    [[ -e $file ]] || continue
    grep -q "; what was done before is in '$file'$" err || fail "$1: no message about $file: $(<err)"
    text=$(zcat -f "$file") || fail "$1: $file cannot be read"
    equal "$text" "$(zcat -f "whole/${name/.partial/}" | head -n "$(wc -l <<<"$text")")" "$1: $file"
  done
}

# Injects a fault into the calls of one kind in a job.
strike() { # JOB KIND ACTION [MOST]
  local k status
  for k in $(numbers "$2" "${4:-}"); do
    rm -rf work
    cp -r before work
    status=0
    with_fault "$2:$k$3" "$1" >out 2>err || status=$?
    faults=$((faults + 1))
    if ((status != 0)); then
      check_failure "$1 with $2:$k$3" $status
      ! diff -rq before work >/dev/null || continue # where the next run begins as the one without faults did
      "$1" >out 2>err || fail "$1 after $2:$k$3 fails: $(<err)"
    fi
    [[ ! -s err || $(wc -l <err) == 1 && $(<err) == warning:* ]] || fail "$1 with $2:$k$3 tells: $(<err)"
    check_same "$1 with $2:$k$3"
  done
}

for job in ${JOBS:-vocab batch average convert translate translate_to_file translate_packed score bleu train}; do
  faults=0
  begin_job "$job"
  for fault in read:EIO write:ENOSPC write+:ENOSPC fsync:EIO rename:EIO link:EPERM unlink:EIO mkdir:ENOSPC truncate:EIO \
    mmap:ENOMEM thread:EAGAIN large:ENOMEM; do
    kind=${fault%%[:+]*}
    strike "$job" "$kind" "${fault#"$kind"}"
  done
  strike "$job" open :EMFILE 25
  for kind in read write; do
    strike "$job" $kind :EINTR 5
    strike "$job" $kind :short 5
  done
  strike "$job" small :ENOMEM 30
  strike "$job" small +:ENOMEM 10
  echo "$job: $faults faults"
done
