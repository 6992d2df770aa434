#!/usr/bin/env bash
# Full and read-only disks, limits of the system, and files that change while they are read: one error line with exit
# code 1, earlier files stay, and with room the same command continues.
. "$(dirname "$0")/../lib.sh"
[[ -z ${NMT_COVERAGE:-} ]] || skip "the counts of a build for gcov do not fit on the disk either"

# Mounting a file system needs a mount namespace, which root or a user namespace provides.
if [[ -z ${NMT_TEST_NAMESPACE:-} ]]; then
  for right in --mount '--map-root-user --mount'; do
    # shellcheck disable=SC2086
    if unshare $right mount -t tmpfs tmpfs /mnt 2>/dev/null; then NMT_TEST_NAMESPACE=1 exec unshare $right bash "$0"; fi
  done
fi
. "$(dirname "$0")/../faults.sh"
make_little_run

write_file() { # COMMAND-THAT-WRITES TO-FILE
  case $1 in
    vocab) nmt vocab -i train.src -i train.tgt -o "$2" --type word --size 40 --normalization identity --quiet ;;
    batch) nmt batch --source train.src --target train.tgt --vocab words.spm -o "$2" --overwrite --threads 1 --quiet ;;
    average) nmt average little --last 2 -o "$2" --quiet ;;
    translate) nmt translate -m model.safetensors --threads 1 --quiet -i test.src -o "$2" ;;
  esac
}
writers=(vocab batch average translate)

# A limit on the size of files: standard output ends with a complete line, and an existing file stays.
for _ in {1..20}; do cat test.src; done >many.src
nmt translate -m model.safetensors --threads 1 --quiet <many.src >many.out
exits 1 eval '(ulimit -f 1 && nmt translate -m model.safetensors --threads 1 --quiet <many.src >cut.out 2>err)'
grep -q '^error: cannot write to standard output: File too large' err || fail "says: $(<err)"
(($(stat -c %s cut.out) > 900)) || fail "stopped too early"
cmp -n "$(stat -c %s cut.out)" cut.out many.out
[[ -z $(tail -c 1 cut.out) ]] || fail "half a line: $(tail -n 1 cut.out)"
refuses 1 "cannot write 'cut': File too large; what was done before is in 'cut.partial'$" \
  eval '(ulimit -f 1 && nmt translate -m model.safetensors --threads 1 --quiet -i many.src -o cut)'
same cut.partial cut.out
[[ ! -e cut ]] || fail "what is not complete has the name of what is"
echo old >mean.safetensors
refuses 1 "cannot write 'mean.safetensors': File too large" eval '(ulimit -f 4 && write_file average mean.safetensors)'
equal "$(cat mean.safetensors*)" old "what was there"

# Any amount of too little memory gives one error line.
for ((kilobytes = 30000, done = 0; !done; kilobytes += 4000)); do
  if ! (ulimit -v $kilobytes && nmt --version) >/dev/null 2>&1; then continue; fi
  status=0
  (ulimit -v $kilobytes && nmt translate -m model.safetensors --threads 2 --quiet <test.src >out 2>err) || status=$?
  ((status == 0)) && done=1 && continue
  [[ $(<err) =~ ^'error: '[^$'\n']*$ ]] || fail "with $kilobytes kB: exit code $status and '$(<err)'"
  equal $status 1 "exit code with $kilobytes kB"
done

if [[ -z ${NMT_SANITIZED:-} ]]; then
  repeat() { for ((i = 0; i < $1; ++i)); do cat "$2"; done; } # COUNT FILE
  repeat 3000 test.src >long.src
  exits 1 eval '(ulimit -v 150000 && nmt translate -m model.safetensors --batch-tokens 1000000000 <long.src >out 2>err)'
  grep -q '^error: out of memory; use smaller batches' err || fail "batches larger than memory: $(<err)"
fi

# A corpus that is truncated while it is read.
write_file batch pairs.nmtc
"$NMT" train "${tiny[@]}" --train pairs.nmtc --steps 0 --log-every 1 -o cut 2>err &
until [[ -s cut/metrics.jsonl ]]; do
  kill -0 $! || fail "training ended early: $(<err)"
  sleep 0.02
done
truncate --size 0 pairs.nmtc
exits 1 wait $!
equal "$(<err)" "error: 'pairs.nmtc' was truncated while it was read, or its disk fails" "words about a truncated corpus"

[[ -n ${NMT_TEST_NAMESPACE:-} ]] || skip "no right to mount file systems: only limits were tested"
mkdir -p place whole
nmt train "${little[@]}" -o whole/run
small_disk() { mount -t tmpfs -o "$1" tmpfs place && echo old >place/file; } # OPTIONS

# No room at all, in bytes or in inodes.
for options in size=8k nr_inodes=2; do
  small_disk $options
  [[ $options == nr* ]] || head -c 9000 /dev/zero >place/rest 2>/dev/null || true
  for writer in "${writers[@]}"; do
    refuses 1 "cannot write 'place/file': No space left on device" write_file "$writer" place/file
    equal "$(cat place/file*)" old "what was there"
  done
  refuses 1 "No space left on device" nmt train "${little[@]}" -o place/run
  umount place
done

# A disk that fills up during training: with more room the run continues.
for options in size=4k size=40k size=80k size=112k size=144k size=176k size=240k nr_inodes=6 nr_inodes=8 nr_inodes=11; do
  small_disk $options
  refuses 1 "No space left on device" nmt train "${little[@]}" -o place/run
  mount -o remount,size=10m,nr_inodes=100 place
  nmt train "${little[@]}" -o place/run
  same_run place/run whole/run
  umount place
done

# A disk that cannot be written.
small_disk size=1m
cp -r whole/run place
mount -o remount,ro place
for writer in "${writers[@]}"; do
  refuses 1 "cannot write 'place/(file|new)': Read-only file system" write_file "$writer" place/file
  refuses 1 "cannot write 'place/(file|new)': Read-only file system" write_file "$writer" place/new
done
refuses 1 "Read-only file system" nmt train "${little[@]}" -o place/new
refuses 1 "Read-only file system" overriding nmt train "${little[@]}" --steps 10 -o place/run
nmt average place/run --last 2 -o from-read-only.safetensors --quiet
