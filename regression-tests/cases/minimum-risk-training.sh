#!/usr/bin/env bash
# Minimum risk training: the risk falls, a run continues exactly, and options that exclude it are refused.
. "$(dirname "$0")/../lib.sh"
make_model

run() { # DIRECTORY [OPTION...]
  overriding nmt train --from-weights model.safetensors --source train.src --target train.tgt --batch-tokens 300 --dropout 0 \
    --schedule constant --learning-rate 1e-3 --warmup 1 --log-every 10 --save-every 10 --quiet -o "$@"
}
losses() { grep -o '"loss":[^,}]*' "$1/metrics.jsonl" | cut -d : -f 2; } # DIRECTORY
run whole --risk chrf --steps 40
holds "$(losses whole | sed -n 1p) < 1"
holds "$(losses whole | tail -n 1) < $(losses whole | sed -n 1p)"

run again --risk chrf --steps 20
run again --steps 40
same again/last.safetensors whole/last.safetensors

# Half of the loss is cross-entropy.
run mixed --risk bleu --risk-samples 4 --risk-sharpness 1 --risk-weight 0.5 --label-smoothing 0.2 --steps 10
holds "$(losses mixed | sed -n 1p) > 0"
# A recurrent model with right-to-left targets.
train_as=(--source train.src --target train.tgt --batch-tokens 300 --log-every 10 --save-every 150 --quiet)
nmt train --preset rnn-small --target-direction right-to-left --vocab words.spm "${train_as[@]}" --d-embedding 32 --d-state 48 \
  --dropout 0 --schedule constant --learning-rate 3e-3 --warmup 1 --steps 150 -o recurrent
nmt train --from-weights recurrent/last.safetensors "${train_as[@]}" --dropout 0 --schedule constant --learning-rate 1e-3 \
  --warmup 1 --risk chrf --steps 40 -o backwards
holds "$(losses backwards | sed -n 1p) < 1"
holds "$(losses backwards | tail -n 1) < $(losses backwards | sed -n 1p)"

refuses 2 "--risk-samples needs minimum risk training; give --risk" run x --risk-samples 4 --steps 1
refuses 2 "--risk chrf replaces the usual loss; leave out --r-drop" run x --risk chrf --r-drop 5 --dropout 0.1 --steps 1
run smooth --risk chrf --label-smoothing 0.1 --steps 1 2>warning
grep -q "^warning: --label-smoothing has no effect: --risk leaves nothing" warning || fail "got: $(<warning)"
for run in smooth anew; do # which continues, and which begins as it did
  run $run --config smooth/config.yml --steps 2 2>warning
  equal "$(<warning)" "" "warning of what the run has written"
done
refuses 2 "--risk" run x --risk ter --steps 1
refuses 2 "--risk chrf: a model of type lm translates nothing" nmt train --type lm --target train.tgt \
  --vocab words.spm --risk chrf --steps 1 -o x
[[ ! -e x ]] || fail "a refused command left something"
