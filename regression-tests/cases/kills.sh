#!/usr/bin/env bash
# Killing a command at any moment loses no complete file: all files are valid, and a training run reaches the same
# weights, metrics and translations, bit for bit. A sample of calls is tried; NMT_FAULTS=N makes it N times as large.
. "$(dirname "$0")/../lib.sh"
. "$(dirname "$0")/../faults.sh"
work_in_memory
make_little_run
export TMPDIR=$PWD

limit='' # the time after which nmt is killed
nmt() { ${limit:+timeout --signal KILL "$limit"} "$NMT" "$@"; }
by_time() { limit=$1 "$2"; } # SECONDS JOB

vocab() {
  nmt vocab -i train.src -i train.tgt -o work/words.spm --type word --size 40 --normalization identity --quiet
}
batch() { nmt batch --source train.src --target train.tgt --vocab words.spm -o work/pairs.nmtc --overwrite --threads 1 --quiet; }
average() { nmt average little --last 2 -o work/mean.safetensors --quiet; }
translate() { nmt translate -m model.safetensors --threads 1 --quiet -i test.src -o work/text; }
train() { nmt train "${little[@]}" -o work/run; }
train_anew() { # in the place of another run
  [[ -d work/run ]] || cp -r older work/run
  nmt train "${little[@]}" --overwrite -o work/run
}
nmt train "${little[@]}" --seed 2 -o older
mkdir before
for file in words.spm pairs.nmtc mean.safetensors text; do echo "what was there before" >before/$file; done

# Kills a job repeatedly, restarting it each time, and then lets it finish.
kill_by() { # JOB {with_fault FAULT | by_time SECONDS}...
  local job=$1 what="$*" status
  shift
  rm -rf work
  cp -r before work
  for ((; $#; kills += status != 0)); do
    status=0
    { "$1" "$2" "$job" >out; } 2>err || status=$?
    # The process that was killed may be one that nmt started; nmt then reports that.
    ((status == 0 || status == 137)) || grep -q '^error: .* was ended by signal 9' err ||
      fail "$what: exit code $status: $(<err)"
    check_sound "$what"
    shift 2
  done
  "$job" >out 2>err || fail "$what: cannot go on: $(<err)"
  [[ ! -s err ]] || fail "$what: the continued run prints $(<err)"
  check_same "$what"
  [[ -z $(find work -name '*.tmp' -o -name '*.new') ]] || fail "$what: left $(find work)"
}

# Prints a random time from 0 to 1.5 times the duration of a job.
some_seconds() {
  local microseconds=$((RANDOM * 3 * duration / 65536))
  echo "$((microseconds / 1000000)).$(printf %06d $((microseconds % 1000000)))"
}

for job in ${JOBS:-vocab batch average translate train train_anew}; do
  kills=0
  begin=${EPOCHREALTIME/./}
  begin_job "$job"
  duration=$((${EPOCHREALTIME/./} - begin))
  for fault in open:kill write:kill write:torn fsync:kill rename:kill rename:kill-after link:kill link:kill-after \
    unlink:kill unlink:kill-after mkdir:kill-after; do
    kind=${fault%:*}
    for k in $(numbers "$kind" 12); do kill_by "$job" with_fault "$kind:$k:${fault#*:}"; done
  done
  for k in $(numbers small 12); do kill_by "$job" with_fault "small:$k:kill"; done
  # Kills in a row, at random moments.
  for k in $(numbers small 4); do
    kill_by "$job" with_fault "small:$k:kill" by_time "$(some_seconds)" with_fault "write:$((RANDOM % 9 + 1)):torn" \
      by_time "$(some_seconds)"
  done
  echo "$job: killed $kills times"
done
