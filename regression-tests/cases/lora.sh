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

# The base is the checkpoint that the run had at that time, also when the run continues, and no output replaces it.
train --steps 20 --save-every 5 --keep-last 1 --overwrite -o first
overriding nmt train --from-weights first --source train.src --target train.tgt --batch-tokens 500 --warmup 10 \
  --steps 5 --quiet --lora rank=4 -o second
base=$PWD/first/step-00000020.safetensors
nmt info second/last.safetensors --json | contains "\"base\": \"$base\"" || fail "the base is not a checkpoint"
grep -q "need their base, '$base'; keep this file" second/train.log || fail "no message: $(<second/train.log)"
cp "$base" kept
for model in second/last.safetensors second; do
  refuses 2 "first/last.safetensors' is the same file as '$base' of" \
    nmt convert $model -o first/last.safetensors --overwrite
  refuses 2 "is the same file as '$base' of" nmt translate -m $model -i five.src -o "$base"
done
refuses 2 "'$base' is part of the run that --overwrite removes" tune first --overwrite --from-weights second
cmp "$base" kept
nmt score -m second --source five.src --target five.tgt --quiet >before
train --steps 25 --save-every 5 --keep-last 2 -o first
nmt score -m second --source five.src --target five.tgt --quiet | cmp - before
train --steps 40 --save-every 5 --keep-last 2 -o first
refuses 1 "'second/last.safetensors' contains only the updates of a model that is missing: '$base'; put it there" \
  nmt translate -m second --quiet
refuses 1 "'second/last.safetensors' contains only the updates of a model that is missing: '$base'; put it there" \
  nmt train -o second --steps 10 --quiet
cp kept "$base"
nmt train -o second --steps 10 --quiet

refuses 2 "--lora: the run in 'low' has lora rank=4,alpha=8, not rank=5,alpha=5" \
  overriding nmt train --from-weights run --source train.src --target train.tgt --lora rank=5 -o low
refuses 2 "--lora fine-tunes a model; give --from-weights" \
  overriding nmt train --vocab words.spm --source train.src --target train.tgt --lora rank=5 -o x
refuses 2 "rank=R" tune x --lora 16
refuses 2 "rank=R" tune x --lora rank=4,
refuses 2 "up to 1e6" tune x --lora rank=4,alpha=1e30
refuses 2 "--lora: rank 100000 is above 64, the smaller side of the largest matrix of the model; lower it" \
  tune x --lora rank=100000
refuses 2 "exclude each other" tune x --quantization-aware
[[ ! -e x ]] || fail "a refused command left something"
