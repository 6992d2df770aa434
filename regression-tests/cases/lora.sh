#!/usr/bin/env bash
# Fine-tuning with updates of low rank: what is saved, opening it with its base, merging, averaging, continuing.
. "$(dirname "$0")/../lib.sh"
make_text
make_vocabulary
train --steps 20

tune() { # DIRECTORY [OPTION...]
  overriding nmt train --from-weights run --source train.src --target train.tgt --batch-tokens 500 --warmup 10 \
    --steps 10 --save-every 5 --quiet --lora rank=4,alpha=8 -o "$@"
}
tune low
[[ $(wc -c <low/last.safetensors) -lt $(($(wc -c <run/last.safetensors) * 2 / 3)) ]] || fail "updates are not smaller"
grep -q "weights, [0-9]* of them frozen" low/train.log || fail "no message about it: $(<low/train.log)"

# A model of updates is the model with its updates, also when they are merged.
head -5 train.src >five.src
head -5 train.tgt >five.tgt
nmt convert -m low/last.safetensors -o merged.safetensors --quiet
for model in run low/last.safetensors merged.safetensors; do
  nmt score -m $model --source five.src --target five.tgt --quiet >scores
  nmt translate -m $model --quiet <five.src >translations
  cat scores translations >"of-$(basename $model)"
done
same of-last.safetensors of-merged.safetensors
cmp -s of-run of-merged.safetensors && fail "training has changed nothing"
nmt info low/last.safetensors >facts
grep -q "low rank updates" facts || fail "nmt info does not report the updates: $(<facts)"
nmt average low/ -o chosen.safetensors --quiet # of its own choice
nmt translate -m chosen.safetensors --quiet <five.src >chosen
equal "$(wc -l <chosen)" 5 "lines of the average that nmt chose"
nmt average low/ --last 2 -o averaged.safetensors --quiet
nmt translate -m averaged.safetensors --quiet <five.src >averaged
equal "$(wc -l <averaged)" 5 "lines of an average"

# A run continues exactly, also if its base has been moved next to its files.
tune again --steps 5
tune again
same again/last.safetensors low/last.safetensors
base=$(readlink -f run/best.safetensors)
[[ -f $base ]] || base=$(readlink -f run/last.safetensors)
cp "$base" base.safetensors
overriding nmt train --from-weights base.safetensors --source train.src --target train.tgt --batch-tokens 500 --warmup 10 \
  --steps 10 --quiet --lora rank=4 --optimizer adafactor --schedule constant --learning-rate 1e-2 -o moved
cp moved/last.safetensors updates.safetensors
mkdir elsewhere
mv updates.safetensors base.safetensors elsewhere/
nmt translate -m elsewhere/updates.safetensors --quiet <five.src >lines
equal "$(wc -l <lines)" 5 "lines with a base next to the updates"
refuses 1 "contains only the updates of a model that is missing" nmt translate -m moved/last.safetensors
cp merged.safetensors base.safetensors
refuses 1 "is not the model that 'moved/last.safetensors' was trained on" nmt translate -m moved/last.safetensors

refuses 2 "--lora: the run in 'low' has lora rank=4,alpha=8, not rank=5,alpha=5" \
  overriding nmt train --from-weights run --source train.src --target train.tgt --lora rank=5 -o low
refuses 2 "--lora fine-tunes a model; give --from-weights" \
  overriding nmt train --vocab words.spm --source train.src --target train.tgt --lora rank=5 -o x
refuses 2 "rank=R" tune x --lora 16
refuses 2 "exclude each other" tune x --quantization-aware
[[ ! -e x ]] || fail "a refused command left something"
