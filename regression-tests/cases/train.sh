#!/usr/bin/env bash
# Settings of training, apart from resuming.
. "$(dirname "$0")/../lib.sh"
make_text
make_vocabulary
head -n 30 test.src >valid.src
head -n 30 test.tgt >valid.tgt
valid=(--valid-source valid.src --valid-target valid.tgt)

# Schedules.
rates() { # the rates in metrics.jsonl
  grep '"train"' run/metrics.jsonl | sed -E 's/.*"learning_rate": ?([^,]*),.*/\1/' | tr '\n' ' '
}
for schedule in linear cosine inverse-sqrt constant; do
  train --schedule $schedule --learning-rate 1e-3 --warmup 2 --steps 5 --log-every 1 --overwrite
  rates
  [[ $(rates) == 0.0005\ 0.001\ * ]] || fail "rates of $schedule: $(rates)"
done
equal "$(rates)" "0.0005 0.001 0.001 0.001 0.001 " "constant rates"
refuses 2 "schedule linear needs --learning-rate" train --schedule linear --overwrite
refuses 2 "schedule cosine needs --steps" train --schedule cosine --learning-rate 1e-3 --steps 0 --overwrite

# Early stopping: with a rate of 0 nothing improves.
train "${valid[@]}" --learning-rate 0 --valid-every 5 --early-stopping 3 --steps 500 --overwrite
equal "$(grep '"valid"' run/metrics.jsonl | tail -n 1 | sed -E 's/.*"step": ?([0-9]*).*/\1/')" 20 "the last step"
nmt train -o run >out 2>&1
grep -q "'run' is finished: 20 updates; raise --early-stopping to continue" out || fail "no advice: $(<out)"
refuses 2 "early-stopping needs a validation text" train --early-stopping 2 --overwrite
for option in "--early-stopping 2" "--stalled-decay 0.5"; do
  # shellcheck disable=SC2086
  refuses 2 "${option% *} needs validations during training; set --valid-every above 0" \
    train "${valid[@]}" --valid-every 0 $option --overwrite
done
refuses 2 "valid-every needs a validation text; give --valid-source" train --valid-every 10 --overwrite
echo "valid_every: 10" >valid.yml
refuses 2 "valid.yml:1: valid_every needs a validation text" train --config valid.yml --overwrite
refuses 2 "best-by bleu needs translations" train "${valid[@]}" --best-by bleu --valid-beam 0 --overwrite

refuses 2 "valid-metrics chrf,ter needs translations" train "${valid[@]}" --valid-metrics chrf,ter --valid-beam 0 \
  --overwrite
refuses 2 "valid-metrics: unknown metric 'chr', did you mean 'chrf'" train "${valid[@]}" --valid-metrics chr --overwrite

# Metrics of translations besides BLEU. Different metrics can choose different best models.
train "${valid[@]}" --best-by ter --valid-metrics chrf++ --steps 10 --overwrite
grep -Eq '"bleu":[-0-9.e]+,"chrf\+\+":[-0-9.e]+,"ter":[-0-9.e]+,' run/metrics.jsonl || fail "metrics: $(<run/metrics.jsonl)"
train "${valid[@]}" --best-by chrf --steps 20 2>log
grep -q "^warning: --best-by has changed: earlier validations do not count" log || fail "no message about it: $(<log)"
train "${valid[@]}" --best-by ter --valid-metrics chrf --steps 30
equal "$(grep -c '"bleu":.*"chrf":.*"ter":' run/metrics.jsonl)" 1 "validations after a change of metrics"
train "${valid[@]}" --steps 40 --valid-every 5 --learning-rate 0 --early-stopping 2 --best-by chrf --overwrite
equal "$(grep '"valid"' run/metrics.jsonl | tail -n 1 | sed -E 's/.*"step": ?([0-9]*).*/\1/')" 15 "the last step by chrF"

# A command scores translations. If it fails, the run continues.
cat >score.sh <<'EOF'
[ "$1" = 'a b' ] && [ -s "$2" ] && [ "${2#/}" != "$2" ] || exit 9
echo "scoring" >&2
case $2 in *05.txt) echo 0.8 ;; *10.txt) echo 'COMET: 0.9'; exit 0 ;; *15.txt) echo 0.7 ;; *) exit 4 ;; esac
EOF
scored() {
  train "${valid[@]}" --steps 20 --valid-every 5 --save-every 5 --valid-command "sh score.sh 'a b'" --best-by command "$@"
}
scored --early-stopping 3 --overwrite 2>log
equal "$(grep -v '^scoring$' log)" "warning: --valid-command failed, so this validation has no figure 'command': it printed \
'COMET: 0.9', not a number
warning: --valid-command failed, so this validation has no figure 'command': its exit code is 4" "warnings of a command"
equal "$(grep -c '^scoring$' log)" 4 "runs of a command"
figures() { grep '"valid"' run/metrics.jsonl | sed -E 's/"seconds":.*//'; }
equal "$(figures | sed -nE 's/.*"step":([0-9]+).*"command":([0-9.]+),.*/\1 \2/p')" $'5 0.8\n15 0.7' "figures of a command"
figures >whole
same run/best.safetensors run/step-00000005.safetensors
nmt average run --best 1 --by command -o averaged.safetensors 2>&1 | contains step-00000005 || fail "another is the best"
! grep -q score.sh run/last.safetensors || fail "the model names a command"
# A run that ends while the command runs continues with that validation.
mv score.sh ready.sh
printf 'touch running; sleep 60\n' >score.sh
"$NMT" train "${small[@]}" "${valid[@]}" --vocab words.spm --source train.src --target train.tgt --steps 20 --valid-every 5 \
  --save-every 5 --valid-command "sh score.sh 'a b'" --best-by command --overwrite -o run --quiet 2>log &
until [[ -e running ]]; do kill -0 $! || fail "it ended: $(<log)"; sleep 0.05; done
begin=$SECONDS
kill -TERM $!
exits 143 wait $!
holds "$SECONDS - $begin < 20"
mv ready.sh score.sh
scored 2>log
figures | same - whole
# A command that hangs is ended, and training continues.
train "${valid[@]}" --steps 10 --valid-every 5 --valid-command "sleep 1000 && echo 1" --valid-timeout 1s --overwrite 2>log
equal "$(<log)" "warning: --valid-command failed, so this validation has no figure 'command': it was stopped after 1 s; \
a longer --valid-timeout gives it more time
warning: --valid-command failed, so this validation has no figure 'command': it was stopped after 1 s; \
a longer --valid-timeout gives it more time" "warnings of a command that hangs"
for value in 5 5x 3e 2Mt; do
  refuses 2 "valid-timeout: expected a time such as 90s \(seconds\), 10m \(minutes\), 8h \(hours\) or 1h30m.*, got '$value'" \
    train "${valid[@]}" --valid-command true --valid-timeout $value --overwrite
done
refuses 2 "valid-timeout needs a command; give --valid-command" train "${valid[@]}" --valid-timeout 5s --overwrite
refuses 2 "best-by command needs --valid-command" train "${valid[@]}" --best-by command --overwrite
refuses 2 "valid-command 'true' needs translations" train "${valid[@]}" --valid-command true --valid-beam 0 --overwrite
refuses 2 "valid-command needs a validation text" train --valid-command true --overwrite

# The last lines name the best validation, its model, and commands that work for any name of the run.
train "${valid[@]}" --steps 20 --valid-every 10 --save-every 10 --no-quiet -o "it's a run/" 2>log
grep -Eqx "best validation: chrf [0-9.]+ at step [12]0; its model is 'it's a run/step-000000[12]0.safetensors'" log ||
  fail "no best validation: $(<log)"
! grep -F // log || fail "slashes twice"
next=$(sed -n 's/^next: //p' log)
PATH=$(dirname "$NMT"):$PATH bash -c "$next" <test.src >next.out 2>log || fail "cannot be typed: $next: $(<log)"
equal "$(wc -l <next.out)" 50 "lines that '$next' translates"

# The plan is logged at the start.
train --steps 25 --epochs 4 --overwrite --no-quiet 2>log
grep -Eq "planned: 25 updates \([0-9.]+ passes over the text\) or 4 passes over the text \(about [0-9]+ updates\)" log ||
  fail "no plan: $(<log)"

# An old run is kept until the new text is known to have a pair.
refuses 1 "'train.src' has no pair to train on: 500 longer than 3 tokens" train --max-length 3 --overwrite
printf '\n%.0s' {1..500} >empty.tgt
refuses 1 "no pair to train on: 500 with an empty side" train --target empty.tgt --overwrite
[[ -f run/step-00000025.safetensors && -f run/state/training.safetensors ]] || fail "the old run is gone"
nmt train -o run 2>&1 | contains "'run' is finished: 25 updates" || fail "the old run is spoiled"

# A finished run warns that other settings have no effect; one that continues reports them.
cp run/config.yml finished.yml
nmt train -o run --batch-tokens 400 2>log
grep -q "'run' is finished: 25 updates; raise --steps to continue, or give 0 for no limit" log || fail "$(<log)"
grep -q "warning: batch_tokens changed from 500 to 400; this does not change the model, because the run is finished" log || fail "$(<log)"
same run/config.yml finished.yml
nmt train -o run --batch-tokens 400 --steps 26 2>&1 | contains "^batch_tokens changed from 500 to 400" ||
  fail "does not report the change"
(cd run && echo *.safetensors) >checkpoints
nmt train -o run --keep-last 1 --quiet
equal "$(cd run && echo *.safetensors)" "$(<checkpoints)" "checkpoints of a finished run"
cp -r run emptied
: >emptied/config.yml
refuses 1 "the run in 'emptied' cannot continue, because its config.yml is empty; restore the file, or --overwrite" \
  nmt train -o emptied

# Diverging training is reported early, and once.
wrong() { train --schedule constant --warmup 1 --steps 400 --overwrite --no-quiet "$@" 2>log; }
wrong --learning-rate 1 --log-every 200
equal "$(grep -c "^warning: training diverges: .* nats a token, where a uniform guess costs 4.0; .*learning-rate" log)" 1 \
  "warnings of: $(<log)"
holds "$(grep -n "^warning: training diverges" log | cut -d : -f 1) < $(grep -n "step 200 " log | cut -d : -f 1)"
! grep -E "perplexity [0-9]{8}" log || fail "endless digits"
# Weights or moments that are not finite end it, with the update and what to do, and earlier checkpoints stay.
exits 1 train --learning-rate 1e6 --steps 50 --save-every 10 --overwrite 2>log
grep -Eq "^error: training has diverged: after update [0-9]+, '.*' holds NaN or infinity; lower --learning-rate or set --clip-norm; the newest checkpoint is 'run/step-[0-9]+.safetensors'" log ||
  fail "tells: $(<log)"
[[ -f run/step-00000010.safetensors ]] || fail "nothing was kept: $(ls run)"

# The saved model is the moving average, which differs from the weights themselves.
train "${valid[@]}" --steps 60 --overwrite
cp run/last.safetensors plain.safetensors
train "${valid[@]}" --steps 60 --ema 0.99 --overwrite
! cmp -s run/last.safetensors plain.safetensors || fail "--ema has no effect"
equal "$(grep -c '"bleu"' run/metrics.jsonl)" 1 "validations with BLEU"
train "${valid[@]}" --steps 10 --valid-beam 0 --overwrite
equal "$(grep -c '"bleu"' run/metrics.jsonl)" 0 "validations with BLEU without translations"

# Weights decay, also when a run continues.
train "${valid[@]}" --steps 60 --weight-decay 0.1 --overwrite
! cmp -s run/last.safetensors plain.safetensors || fail "--weight-decay has no effect"
cp run/last.safetensors decayed.safetensors
train "${valid[@]}" --steps 30 --weight-decay 0.1 --overwrite
nmt train -o run --steps 60 --quiet
same run/last.safetensors decayed.safetensors

# A validation equals the result of nmt translate and nmt bleu.
train "${valid[@]}" --steps 150 --overwrite
nmt translate -m run/last.safetensors --quiet <valid.src >valid.out
same valid.out run/valid/step-00000150.txt
bleu=$(grep '"valid"' run/metrics.jsonl | tail -n 1 | sed -E 's/.*"bleu": ?([^,]*),.*/\1/')
equal "$(nmt bleu valid.tgt --score-only --width 4 <valid.out)" "$(printf %.4f "$bleu")" "BLEU of the validation"

# Subword sampling gives different segmentations, the same ones in every run.
nmt vocab -i train.src -i train.tgt -o pieces.spm --size 60 --quiet
sampled() { overriding nmt train "${small[@]}" --vocab pieces.spm --source train.src --target train.tgt --steps 30 --quiet "$@"; }
sampled -o run --overwrite
cp run/last.safetensors best-segmentation.safetensors
sampled -o run --overwrite --sampling-alpha 0.2
cp run/last.safetensors sampled.safetensors
! cmp -s sampled.safetensors best-segmentation.safetensors || fail "--sampling-alpha has no effect"
sampled -o run --overwrite --sampling-alpha 0.2
same run/last.safetensors sampled.safetensors
sampled -o run --overwrite --sampling-alpha 0.2 --steps 13
sampled -o run --sampling-alpha 0.2 --steps 30
same run/last.safetensors sampled.safetensors

# A packed corpus and a stream of pairs give the same model as text files.
train --steps 30 --overwrite
weights() { nmt score -m "$1" --source test.src --target test.tgt --quiet; }
weights run/last.safetensors >by-text
nmt batch --source train.src --target train.tgt --vocab words.spm -o train.nmtc --quiet
other() { overriding nmt train "${small[@]}" --steps 30 --save-every 0 --quiet -o other --overwrite "$@"; }
other --train train.nmtc
weights other/last.safetensors | same - by-text
paste train.src train.tgt | other --tsv - --vocab words.spm
weights other/last.safetensors | same - by-text
nmt train "${small[@]}" --steps 15 --save-every 0 --quiet -o other --overwrite --train train.nmtc
nmt train -o other --steps 30 --quiet
weights other/last.safetensors | same - by-text
refuses 2 "leave out --source" other --train train.nmtc --source train.src --target train.tgt
refuses 2 "fixed" other --train train.nmtc --sampling-alpha 0.1
refuses 2 "'pieces.spm' differs from the vocabulary" other --train train.nmtc --vocab pieces.spm
refuses 2 "packed with other vocabularies" nmt train -o new --train train.nmtc \
  --from-weights best-segmentation.safetensors
refuses 1 "'words.spm'" other --train words.spm
refuses 1 "has 0 pairs|is empty|no line" other --tsv /dev/null --vocab words.spm

# Fine-tuning takes the model from the file, and the recipe from the closest preset or the given one.
train --steps 20 --overwrite
cp run/last.safetensors tiny.safetensors
tune() { overriding nmt train --from-weights tiny.safetensors --source train.src --target train.tgt --steps 6 "$@"; }
tune -o tuned 2>log
grep -q "training as transformer-tiny, which suits the weights" log || fail "no message about the recipe: $(<log)"
for line in "preset: transformer-tiny" "batch_tokens: 3000" "  d_model: 64"; do
  grep -qx "$line" tuned/config.yml || fail "no '$line' in $(<tuned/config.yml)"
done
tune -o small --preset transformer-small --quiet
for line in "preset: transformer-small" "dropout: 0.2" "  d_model: 64" "  encoder_layers: 1"; do
  grep -qx "$line" small/config.yml || fail "no '$line' in $(<small/config.yml)"
done
refuses 2 "d-model is set to 32, but 'tiny.safetensors' says 64" tune -o new --d-model 32
tune -o cut --steps 3 --quiet
refuses 2 "the run in 'cut' has from_weights .*/tiny.safetensors, not .*/last.safetensors; leave" \
  nmt train --from-weights run/last.safetensors --source train.src --target train.tgt -o cut
refuses 2 "the run in 'run' has from_weights none, not .*/tiny.safetensors; leave" tune -o run
rm tiny.safetensors
tune -o cut --quiet
same cut/last.safetensors tuned/last.safetensors
refuses 2 "is part of the run that --overwrite removes" nmt train --from-weights tuned/last.safetensors --source train.src \
  --target train.tgt --overwrite -o tuned
same cut/last.safetensors tuned/last.safetensors

# Settings without effect cause a warning.
train --overwrite --steps 1 --gradient-precision bf16 --max-positions 99 2>warning
equal "$(<warning)" "warning: --gradient-precision has no effect: the run has one rank
warning: --max-positions has no effect: positions are not learned" "the warnings"

# Text is filtered as by nmt batch.
{ paste train.src train.tgt && printf 'the same\tthe same\nthe\tla la la la la la la la la la\n'; } >uneven.tsv
reasons="1 with sides of a ratio above 9, 1 with two identical sides"
filtered() { overriding nmt train "${small[@]}" --vocab words.spm --tsv uneven.tsv --steps 15 -o filtered --overwrite --quiet "$@" 2>log; }
filtered
grep -q "dropped of 502 pairs: $reasons" log || fail "not filtered: $(<log)"
nmt batch --tsv uneven.tsv --vocab words.spm -o uneven.nmtc 2>&1 | contains "dropped: $reasons" || fail "batch differs"
cp -r filtered older
filtered --max-ratio 0 --no-drop-identical
! grep -q dropped log || fail "filtered: $(<log)"
refuses 2 "'older' has max_ratio 9, not 3" nmt train -o older --max-ratio 3
refuses 2 "max-ratio needs text" other --train train.nmtc --max-ratio 3
# A run of an older version lacks some settings, and has others that no longer matter.
sed -i -e '/max_ratio/d' -e '/drop_identical/d' older/config.yml
echo "valid_every: 500" >>older/config.yml
refuses 2 "'older' has max_ratio none, not 3" nmt train -o older --max-ratio 3
nmt train -o older --steps 20 --quiet
grep -qx "max_ratio: 0" older/config.yml || fail "filtered from now on: $(<older/config.yml)"

# A dry run prints a configuration of what it would do, and does nothing.
rm -r run
train --dry-run --steps 77 >dry.yml
grep -q "^steps: 77$" dry.yml || fail "no configuration: $(<dry.yml)"
grep -q "^# weights: [0-9]* (decoder" dry.yml || fail "no number of weights: $(<dry.yml)"
[[ ! -e run ]] || fail "--dry-run made $(ls run)"
nmt train --config dry.yml --dry-run >again.yml # without a run directory
same <(grep -v "^#" again.yml) <(grep -v "^#" dry.yml)
refuses 2 "--output is required: the run directory; or --dry-run, to write nothing" nmt train --config dry.yml
nmt train --config dry.yml -o run --quiet --steps 3
equal "$(grep -c . <(nmt train --list-presets | grep '^transformer-'))" 6 "presets listed"
