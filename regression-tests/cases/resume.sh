#!/usr/bin/env bash
# A run that was stopped in any way continues as if uninterrupted: with the same weights, bit for bit, and the same
# metrics.
. "$(dirname "$0")/../lib.sh"
set -m # so that SIGINT is not ignored in the background
make_text
make_vocabulary
head -n 30 test.src >valid.src
head -n 30 test.tgt >valid.tgt

training=("$NMT" train "${small[@]}" --vocab words.spm --source train.src --target train.tgt --valid-source valid.src
  --valid-target valid.tgt --dropout 0.1 --ema 0.9 --steps 120 --log-every 10 --valid-every 30 --save-every 25
  --keep-last 2 --keep-best 2 --best-by bleu --quiet -o)
run() { overriding "${training[@]}" "$@"; } # DIRECTORY [OPTION...]

# Starts a run in the background, and signals it as soon as one of its files matches a pattern.
stop_when() { # DIRECTORY SIGNAL FILE PATTERN [OPTION...]
  overriding exec "${training[@]}" "$1" "${@:5}" 2>"$1.log" &
  local process=$!
  until grep -q "$4" "$3" 2>/dev/null; do
    kill -0 $process || fail "training ended before the signal: $(<"$1.log")"
    sleep 0.02
  done
  kill -"$2" $process
  status=0
  wait $process || status=$?
}

# Signals a run when it has reached a given step.
stop_at() { # DIRECTORY SIGNAL STEP [OPTION...]
  stop_when "$1" "$2" "$1/metrics.jsonl" "\"step\":$3," "${@:4}"
}

run whole
for name in best last step-00000100 step-00000120; do
  [[ -f whole/$name.safetensors ]] || fail "the run has no $name.safetensors"
done
equal "$(wc -l <whole/valid/step-00000030.txt)" 30 "translations of a validation"

stop_at interrupted INT 10
equal $status 130 "exit code after SIGINT"
stop_at interrupted TERM 60
equal $status 143 "exit code after SIGTERM"
equal "$(cd interrupted && echo step-*[1-46-9].safetensors)" 'step-*[1-46-9].safetensors' "checkpoints of a signal"
run interrupted
same_run interrupted

# A continued run does not hold the old state: its disk space is free as soon as a new state is written.
run held --steps 20
overriding exec "${training[@]}" held --steps 100000 2>held.log &
until grep -q '"step":40,' held/metrics.jsonl; do
  kill -0 $! || fail "training ended: $(<held.log)"
  sleep 0.02
done
if grep training.safetensors /proc/$!/maps; then fail "the old state is still mapped"; fi
kill -INT $!
wait $! || true

stop_at killed KILL 10 # before anything was saved
stop_at killed KILL 40
stop_at killed KILL 80
mkdir elsewhere
(cd elsewhere && nmt train -o ../killed --quiet) # all settings come from the run, and hold from any folder
same_run killed

# Continuing a finished run changes nothing, including its last line, its last validation and its best model.
sums() { find "$1" -type f ! -name train.log -exec sha256sum {} + | sort; } # DIRECTORY
uneven=(--best-by perplexity --keep-best 1 --log-every 10 --valid-every 30 --save-every 11)
run uneven "${uneven[@]}" --steps 55
equal "$(grep -o '"event":"[a-z]*","step":55' uneven/metrics.jsonl | tr '\n' ' ')" \
  '"event":"train","step":55 "event":"valid","step":55 ' "the last lines"
before=$(sums uneven)
nmt train -o uneven >out 2>&1
grep -q "'uneven' is finished: 55 updates; raise --steps to continue" out || fail "a finished run does not say so: $(<out)"
equal "$(sums uneven)" "$before" "a finished run that was called again"
cp uneven/best.safetensors best.safetensors
run uneven "${uneven[@]}" --steps 70 --learning-rate 1000
same uneven/best.safetensors best.safetensors
same uneven/step-00000055.safetensors best.safetensors

# The state is saved before a validation. An interrupted validation is repeated when the run continues, even the last
# one.
for _ in {1..60}; do cat valid.src >>long.src && cat valid.tgt >>long.tgt; done
long=("${uneven[@]}" --valid-source long.src --valid-target long.tgt --steps 40 --save-every 20)
run whole-long "${long[@]}"
not_validated() { # STEP
  ! grep -q "\"valid\",\"step\":$1" cut/metrics.jsonl || fail "the signal came after the validation at $1"
}
for step in 30 40; do
  stop_when cut KILL cut/state/training.safetensors "step..:$step," "${long[@]}"
  not_validated $step
  stop_when cut INT cut.log "planned:" "${long[@]}" --no-quiet
  equal $status 130 "exit code after SIGINT in a validation"
  not_validated $step
  grep -q "continuing at step $step" cut.log || fail "updates were lost: $(<cut.log)"
  grep -q "stopping in a validation, which the same command begins again" cut.log || fail "no word: $(<cut.log)"
  grep -q "stopped by a signal at step $step, before its validation" cut.log || fail "no last word: $(<cut.log)"
done
run cut "${long[@]}"
same_run cut whole-long

# A damaged state, other settings or another text are refused.
nmt train -o whole >out 2>&1
grep -q "'whole' is finished: 120 updates; raise --steps to continue" out || fail "a finished run does not say so: $(<out)"
same_run whole
cp -r whole damaged
printf x | dd of=damaged/state/training.safetensors bs=1 seek=70000 conv=notrunc status=none
refuses 1 "damaged/state/training.safetensors' is damaged" nmt train -o damaged --quiet
rm damaged/state/training.safetensors
refuses 1 "damaged' cannot continue, because 'damaged/state/training.safetensors' is missing; restore it" run damaged
for file in config.yml metrics.jsonl train.log; do # for whose writer or reader nobody waits
  cp -r whole piped
  rm piped/$file
  mkfifo piped/$file
  refuses 1 "the run in 'piped' cannot continue, because 'piped/$file' is a pipe" run piped
  rm -r piped
done
refuses 2 "the run in 'whole' has seed 1, not 2" run whole --seed 2
refuses 2 "the run in 'whole' has d_model 64, not 32" run whole --d-model 32
refuses 1 "'whole' was trained on another text" run whole --source train.tgt --target train.src
nmt vocab -i train.tgt -o other.spm --type char --size 30 --quiet
refuses 2 "'other.spm' differs from the vocabulary" run whole --vocab other.spm
refuses 2 "--vocab: cannot find 'missing.spm'; leave the setting out, since the run has its vocabularies" \
  run whole --vocab missing.spm
mv words.spm away.spm # of which the run has a copy
run whole
mv away.spm words.spm
same_run whole

# A full disk, simulated by a limit on file sizes: the earlier state remains.
full() (
  trap '' XFSZ
  ulimit -f 900 # kilobytes: enough for a model, not for the state
  overriding exec "${training[@]}" "$@"
)
refuses 1 "cannot write 'disk/state/training.safetensors'" full disk # at once, not after an hour
[[ ! -f disk/metrics.jsonl ]] || fail "training began without room for its state"
stop_at disk TERM 40
refuses 1 "cannot write 'disk/state/training.safetensors'" full disk
run disk
same_run disk
refuses 1 "cannot use '/proc/run' as run directory" run /proc/run

# New limits and another batch budget in the middle of a pass.
run whole --steps 130 --batch-tokens 300
[[ -f whole/step-00000130.safetensors ]] || fail "the run did not go on"

# Two processes cannot train in one directory.
overriding exec "${training[@]}" shared --steps 0 &
until [[ -s shared/metrics.jsonl ]]; do sleep 0.02; done
refuses 1 "another process is training in 'shared'" run shared
kill -TERM $!
exits 143 wait $!

# If another process trains in a directory after this one has read it, this one does not start from what it read.
mkfifo late.tgt
overriding exec "${training[@]}" late --valid-target late.tgt 2>late.log & # waits for its text, which it reads before it begins
late=$!
exec 3>late.tgt
run late --steps 20
before=$(sums late)
cat valid.tgt >&3
exec 3>&-
exits 1 wait $late
grep -q "another process has trained in 'late' since this one began; run the command again" late.log || fail "$(<late.log)"
equal "$(sums late)" "$before" "the run that was there"

# A process whose directory was removed does not write into its replacement.
overriding exec "${training[@]}" taken --steps 0 --save-every 1 --keep-last 1 2>replaced.log &
replaced=$!
until [[ -s taken/metrics.jsonl ]]; do sleep 0.02; done
mv taken moved
run taken --keep-last 0
before=$(sums taken)
exits 1 wait $replaced
equal "$(wc -l <replaced.log)" 1 "lines of: $(<replaced.log)"
grep -q "'taken' is no longer the directory in which this training began" replaced.log || fail "$(<replaced.log)"
equal "$(sums taken)" "$before" "the run that took its place"
