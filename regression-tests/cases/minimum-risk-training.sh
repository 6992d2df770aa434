#!/usr/bin/env bash
# Minimum risk training: the risk falls, a run goes on exactly, and what does not go together is refused.
. "$(dirname "$0")/../lib.sh"
make_model

run() { # DIRECTORY [OPTION...]
  nmt train --from-weights model.safetensors --source train.src --target train.tgt --batch-tokens 300 --dropout 0 \
    --schedule constant --learning-rate 1e-3 --warmup 1 --log-every 10 --save-every 10 --quiet -o "$@"
}
losses() { grep -o '"loss":[^,}]*' "$1/metrics.jsonl" | cut -d : -f 2; } # DIRECTORY
run whole --risk chrf --steps 40
holds "$(losses whole | head -n 1) < 1"
holds "$(losses whole | tail -n 1) < $(losses whole | head -n 1)"

run again --risk chrf --steps 20
run again --steps 40
same again/last.safetensors whole/last.safetensors

# Half of the loss is the usual one.
run mixed --risk bleu --risk-samples 4 --risk-sharpness 1 --risk-weight 0.5 --steps 10
holds "$(losses mixed | head -n 1) > 0"
refuses 2 "--risk-samples needs minimum risk training; give --risk" run x --risk-samples 4 --steps 1
refuses 2 "--risk chrf is a loss of its own; leave out --r-drop" run x --risk chrf --r-drop 5 --dropout 0.1 --steps 1
refuses 2 "--risk" run x --risk ter --steps 1
refuses 2 "--risk chrf: a model of type lm translates nothing" nmt train --type lm --target train.tgt \
  --vocab words.spm --risk chrf --steps 1 -o x
[[ ! -e x ]] || fail "a refused command left something"
