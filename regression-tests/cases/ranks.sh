#!/usr/bin/env bash
# Processes started by mpirun train one model, the same up to rounding as one process. A failure of any of them ends
# all, with one line and a state from which the run continues.
. "$(dirname "$0")/../lib.sh"
command -v mpirun >/dev/null || skip "mpirun is not installed"
[[ -f $(dirname "$NMT")/lib/libnmt_mpi.so ]] || skip "this nmt was built without MPI"
skip_sanitized "MPI leaks"
set -m # so that SIGINT is not ignored in the background
if [[ $(id -u) == 0 ]]; then export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1; fi
export OMPI_MCA_rmaps_base_oversubscribe=1 OMPI_MCA_hwloc_base_binding_policy=none
export OMPI_MCA_btl_vader_single_copy_mechanism=none # as in most containers
make_text
make_vocabulary

training=(train "${small[@]}" --vocab words.spm --source train.src --target train.tgt --valid-source test.src
  --valid-target test.tgt --valid-every 4 --valid-beam 2 --save-every 4 --log-every 4 --dropout 0.1 --ema 0.9
  --threads 1 --quiet -o)

# Messages of nmt, without those of mpirun.
said() { grep -a '^\(error\|warning\): ' "$1" || true; } # FILE
ranks() { # COUNT DIRECTORY [OPTION...]
  mpirun -n "$1" "$NMT" "${training[@]}" "${@:2}" >"$2.out" 2>"$2.err" || fail "$1 ranks: $(<"$2.err")"
  equal "$(cat "$2.out")$(said "$2.err")" "" "words of $1 ranks"
}
# Checks that the figures of two runs agree up to rounding, except times and BLEU, since rounding can change a word of a
# translation.
figures() { metrics "$1" | sed 's/"bleu":[^,]*,//' | tr -s ',{}' '\n' | sed '/^$/d'; } # DIRECTORY
close_to() { # DIRECTORY OTHER
  paste <(figures "$1") <(figures "$2") | awk -F '[\t:]' '
    NF != 4 || $1 != $3 { exit 1 }
    $2 + 0 == $2 { d = $2 - $4; if (d * d > 1e-8 * $2 * $2) exit 1 }
    $2 + 0 != $2 && $2 != $4 { exit 1 }
  ' || fail "$1 and $2 differ: $(diff <(figures "$1") <(figures "$2"))"
}

# Checks that a run that was continued equals an uninterrupted one; older checkpoints show that.
same_end() { # DIRECTORY OTHER
  equal "$(metrics "$1")" "$(metrics "$2")" "metrics of $1"
  same "$1/last.safetensors" "$2/last.safetensors"
  diff -r "$1/valid" "$2/valid"
}

# Equal to one rank up to rounding; repeated runs have the same bits; the same holds for translations of the validation.
nmt "${training[@]}" one --steps 12
ranks 2 two --steps 12
close_to two one
(($(diff -r one/valid two/valid | grep -c '^<') <= 2)) || fail "ranks translate otherwise"
ranks 2 again --steps 12
same_run again two
ranks 3 three --steps 12
close_to three one
ranks 3 rounded --steps 4 --delay 2 --gradient-precision bf16 --no-shard-optimizer
[[ -s rounded/step-00000004.safetensors ]] || fail "no model of gradients in bf16"

# Only rank 0 prints messages, also in a dry run.
equal "$(mpirun -n 2 "$NMT" "${training[@]}" dry --dry-run | grep -c '^# .* 2 ranks')" 1 "ranks in a dry run"
equal "$(mpirun -n 3 "$NMT" train --help | grep -c '^usage')" 1 "pages of help"
# Input that only one of them could read.
paste train.src train.tgt >train.tsv
mpirun -n 2 "$NMT" train "${small[@]}" --vocab words.spm --tsv - -o piped --steps 4 <train.tsv 2>err && fail "took a pipe"
equal "$(said err)" "error: --tsv -: 2 processes read the text, but only one of them has standard input; name a file that all of \
them can open" "words of a piped text"
[[ ! -e piped ]] || fail "a refused run left $(ls piped)"
# Other commands do their work once per process.
equal "$(mpirun -n 2 "$NMT" bleu test.tgt -i test.tgt --score-only 2>err | sort -u)" 100.0 "BLEU"
equal "$(said err | grep -c '^warning: mpirun has started 2 processes, each of which does all of the work')" 1 "warnings"

# A run continues with the same number of ranks bit for bit, with others up to rounding.
ranks 2 part --steps 8
ranks 2 part --steps 12
same_end part two
ranks 2 other --steps 4
nmt "${training[@]}" other --steps 8
ranks 3 other --steps 12
close_to other one

# Differences between ranks end all of them before anything is written.
differ() { # PATTERN OPTION...
  local status=0 others
  mapfile -t others < <(overriding printf '%s\n' "${training[@]}" none "${@:2}")
  mpirun -n 1 "$NMT" "${training[@]}" none : -n 1 "$NMT" "${others[@]}" >out 2>err || status=$?
  equal "$(said err | wc -l)" 1 "lines about $1: $(<err)"
  grep -Eq "^error: rank 1 \(process [0-9]+ on .*\).*$1" err || fail "expected $1, got: $(<err)"
  ((status == 1 || status == 2)) || fail "exit code $status"
  [[ ! -e none ]] || fail "a run was begun"
}
head -n 400 train.src >fewer.src
head -n 400 train.tgt >fewer.tgt
differ "differs from rank 0: label_smoothing is 0.2 there, and 0.1 here" --label-smoothing 0.2
differ "differs from rank 0: the text is" --source fewer.src --target fewer.tgt
differ "cannot read 'nowhere'" --source nowhere
differ "unknown option '--stepz'" --stepz 3
mkdir -p another/lib
cp "$NMT" another/nmt
cp "$(dirname "$NMT")/lib/libnmt_mpi.so" another/lib
printf x >>another/nmt
mpirun -n 1 "$NMT" "${training[@]}" none : -n 1 another/nmt "${training[@]}" none 2>err && fail "two programs"
equal "$(said err | grep -c 'rank 1 .* runs another nmt than rank 0')" 1 "words about two programs: $(<err)"
rm another/lib/libnmt_mpi.so
mpirun -n 2 another/nmt "${training[@]}" none 2>err && fail "ranks without MPI"
equal "$(said err | grep -c 'libnmt_mpi.so is not in')" 1 "words about MPI: $(<err)"

# Starts three ranks in the background and waits until they train. `process` is mpirun, `rank` has their process
# numbers.
begin() { # DIRECTORY
  mpirun -n 3 "$NMT" "${training[@]}" "$1" --steps 0 >out 2>err &
  process=$!
  until [[ -s $1/metrics.jsonl ]]; do
    kill -0 $process || fail "training ended: $(<err)"
    mapfile -t rank < <(pgrep -P $process | sort -n)
    sleep 0.02
  done
  equal "${#rank[@]}" 3 "processes"
}
# Finds the trainings of this case, since others may run at the same time.
trainings() {
  local process
  for process in $(pgrep -f "^$NMT train"); do
    if [[ /proc/$process/cwd -ef . ]]; then echo "$process"; fi
  done
}
# Checks that all end, with lines that match, and that the same command continues.
ended() { # DIRECTORY PATTERN
  if wait $process; then fail "mpirun tells no failure"; fi
  local left
  for _ in {1..100}; do
    left=$(trainings)
    [[ -n $left ]] || break
    sleep 0.1
  done
  equal "$left" "" "processes left"
  equal "$(said err | grep -Ec "$2")" "$(said err | wc -l)" "lines other than $2: $(<err)"
  local beyond=$(($(metrics "$1" | sed -n 's/.*"step":\([0-9]*\).*/\1/p' | tail -n 1) / 4 * 4 + 8))
  if ((beyond > steps)); then steps=$beyond && ranks 3 three --steps $steps; fi
  ranks 3 "$1" --steps $steps
  same_end "$1" three
}
steps=40
ranks 3 three --steps $steps

begin killed
kill -KILL "${rank[1]}"
ended killed "rank 1 .* has ended, and so all others end"
begin beheaded
kill -KILL "${rank[0]}"
ended beheaded "rank 0 .* has ended, and so all others end"
export NMT_RANK_TIMEOUT=3
begin stopped
kill -STOP "${rank[2]}"
ended stopped "rank 2 .* has not been heard of for 3 seconds"
unset NMT_RANK_TIMEOUT
NMT_RANK_TIMEOUT=soon mpirun -n 2 "$NMT" "${training[@]}" none 2>err && fail "soon is a number"
grep -q "^error: .*NMT_RANK_TIMEOUT is 'soon'" err || fail "got: $(<err)"

# After a signal to any rank, or to mpirun, the run is saved, for which mpirun allows some seconds before it kills.
export OMPI_MCA_odls_base_sigkill_timeout=10
for target in 'rank[2]' 'rank[0]' process; do
  begin "signal-$target"
  kill -TERM "${!target}"
  ended "signal-$target" "nothing"
  grep -q 'stopped by a signal at step' "signal-$target/train.log" || fail "a signal to $target was not saved at"
done

# One rank is asked to save, and all continue.
begin saved
kill -USR1 "${rank[2]}"
until grep -q 'saved at step' saved/train.log; do
  kill -0 $process || fail "USR1 ended the run: $(<err)"
  sleep 0.02
done
step=$(grep -c '"event":"train"' saved/metrics.jsonl)
until (($(grep -c '"event":"train"' saved/metrics.jsonl) > step)); do
  kill -0 $process || fail "the run ended after it was saved: $(<err)"
  sleep 0.02
done
kill -TERM $process
ended saved "nothing"
