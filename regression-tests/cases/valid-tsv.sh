#!/usr/bin/env bash
# A validation text in one file of columns equals one in two files: in training, averages, reports and Marian's
# settings.
. "$(dirname "$0")/../lib.sh"
make_text
make_vocabulary
paste test.src test.tgt >two.tsv
paste test.tgt test.src >reversed.tsv
paste test.src test.tgt test.src >three.tsv
run=(--save-every 50 --valid-every 50)
train "${run[@]}" --steps 400 --valid-source test.src --valid-target test.tgt -o files
figures() { sed -n '/"valid"/ s/.*\("loss":[^,]*\),.*\("chrf":[^,}]*\).*/\1 \2/p' "$1/metrics.jsonl"; }
equal "$(figures files | wc -l)" 8 "validations"
for file in two three; do
  train "${run[@]}" --steps 100 --valid-tsv $file.tsv -o $file
  equal "$(figures $file)" "$(figures files | sed -n 1,2p)" "figures with $file.tsv"
done

# The columns of the validation text are those of the training text; columns after the two sides may be missing.
paste train.tgt train.src train.src >train.tsv
nmt train "${small[@]}" --vocab words.spm --tsv train.tsv --tsv-columns target,source,skip "${run[@]}" --steps 400 \
  --valid-tsv reversed.tsv -o reversed --quiet
equal "$(figures reversed)" "$(figures files)" "figures with the target first"

nmt average files -o files.safetensors 2>files.log
nmt average reversed -o reversed.safetensors 2>log
for model in files reversed; do nmt translate -m $model.safetensors --quiet <test.src >$model.out; done
same files.out reversed.out
grep -q "on '.*reversed.tsv'" log || fail "compared on another text: $(<log)"
equal "$(grep -o 'chrf [0-9.]*' log)" "$(grep -o 'chrf [0-9.]*' files.log)" "the figure of the average"
nmt report reversed -o page.html
text="\"source\":\"$(sed -n 6p test.src)\",\"reference\":\"$(sed -n 6p test.tgt)\""
grep -Fq "$text" page.html || fail "no line 6"
refuses 2 "reversed.tsv. of RUN" nmt report reversed -o reversed.tsv

printf 'one\n' >broken.tsv
refuses 1 "'broken.tsv', line 1: 1 column; a line must have the source and the target" train "${run[@]}" --valid-tsv broken.tsv -o broken
refuses 2 "valid-tsv contains both sides; leave out --valid-target" train --valid-tsv two.tsv --valid-target test.tgt -o broken
refuses 2 "valid-tsv: a model of type lm has no source" nmt train --type lm --vocab words.spm --target train.tgt --valid-tsv two.tsv -o broken

# Marian has one flag for both texts.
paste train.src train.tgt >pairs.tsv
cat >marian.yml <<'YML'
tsv: true
train-sets: [pairs.tsv]
valid-sets: [two.tsv]
vocabs: [words.spm, words.spm]
YML
nmt train --marian-config marian.yml -o marian --dry-run >out 2>&1 || fail "$(<out)"
grep -Eq 'valid_tsv: .*two.tsv' out || fail "the text is missing: $(<out)"
