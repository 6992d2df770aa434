#!/usr/bin/env bash
# No command overwrites its inputs with its output or its messages.
. "$(dirname "$0")/../lib.sh"
make_model
paste train.src train.tgt >train.tsv
echo 'steps: 1' >run.yml
ln -s train.src symbolic
ln train.src hard
train --overwrite --steps 1 --valid-source test.src --valid-target test.tgt --positions tensor2tensor \
  --decoder-start zero
nmt convert model.safetensors --to ctranslate2 -o folder --quiet
nmt convert run/last.safetensors --to marian -o marian --quiet
cp marian/model.npz alone.npz
printf 'vocabs:\n  - marian/source.spm\n  - marian/target.spm\n' >alone.npz.decoder.yml
find . -type f ! -name 'refused.*' ! -name before | sort | xargs sha256sum >before

for output in train.src ./train.src symbolic hard; do
  refuses 2 "same file as 'train\.src' of --input" nmt vocab -i train.tgt -i train.src -o $output
  refuses 2 "same file as 'train\.src' of --source" \
    nmt batch --source train.src --target train.tgt --vocab words.spm -o $output
  refuses 2 "same file as 'train\.src' of --input" nmt translate -m model.safetensors -i train.src -o $output
done
refuses 2 "of --tsv" nmt batch --tsv train.tsv --vocab words.spm -o train.tsv
refuses 2 "of --vocab" nmt batch --source train.src --target train.tgt --vocab words.spm -o words.spm
refuses 2 "of --model" nmt translate -m model.safetensors -i test.src -o model.safetensors
refuses 2 "of --config" nmt train --config run.yml -o new --log-file run.yml

# This includes files in an input folder, links to inputs, and the folder itself.
refuses 2 "output: 'folder/' is the same file as 'folder' of" nmt convert folder --to ctranslate2 -o folder/ --overwrite
for file in run/last.safetensors run/config.yml run/metrics.jsonl run/valid/*; do
  refuses 2 "same file as 'run/.*' of --model" nmt translate -m run -i test.src -o "$file"
  refuses 2 "same file as 'run/.*' of RUN" nmt report run -o "$file"
done
refuses 2 "same file as '.*test.src' of RUN" nmt report run -o test.src
for file in train.src test.tgt words.spm; do
  refuses 2 "same file as '.*$file' of PATH" nmt average run -o $file
done
refuses 2 "same file as '.*train.src' of --model" nmt translate -m run -i hard -o train.src
for file in folder/*; do
  refuses 2 "same file as '$file' of --model" nmt translate -m folder -i test.src -o "$file"
  refuses 2 "same file as '$file' of" nmt convert folder -o "$file"
done
cp model.safetensors folder/
refuses 2 "output: the folder 'folder' has 'folder/model.safetensors' of FROM" \
  nmt convert folder/model.safetensors --to ctranslate2 -o folder --overwrite
rm folder/model.safetensors
for file in marian/*; do
  for model in marian marian/decoder.yml; do
    refuses 2 "same file as '$file' of --model" nmt translate -m $model -i test.src -o "$file"
  done
done
for file in alone.npz.decoder.yml marian/source.spm marian/target.spm; do
  refuses 2 "same file as '$file' of --model" nmt translate -m alone.npz -i test.src -o $file
  refuses 2 "same file as '$file' of FROM" nmt convert alone.npz -o $file
done
echo "key $(sha256sum <hard | cut -d ' ' -f 1)" >keys
refuses 2 "access-log: 'keys' is the same file" nmt serve -m model.safetensors --api-keys keys --access-log keys
refuses 2 "log-file: 'model.safetensors' is the same file" nmt serve -m en-de=model.safetensors --log-file model.safetensors
rm keys

# Standard streams can be redirected to inputs.
refuses 2 "same file as standard input" nmt translate -m model.safetensors -o train.src <train.src
refuses 2 "same file as standard input" nmt vocab -i - -o train.src <train.src
exits 2 nmt translate -m model.safetensors -i train.src 2>error >>train.src
grep -q "^error: .*standard output is the same file as 'train\.src'" error || fail "got: $(<error)"
pairs=(-m model.safetensors --source train.src --target train.tgt)
for command in "score ${pairs[*]}" "bleu train.src -i train.tgt" "info hard" "batch train.src" \
  "train --dry-run --vocab words.spm --source train.src --target train.tgt -o new"; do
  # shellcheck disable=SC2086
  exits 2 nmt $command 2>error >>train.src
  grep -q "^error: standard output is the same file as '.*' of .*, which would be lost" error || fail "got: $(<error)"
done
exits 2 nmt score "${pairs[@]}" --log-file scores 2>error >scores
grep -q "^error: --log-file: 'scores' is the same file as standard output; write to two files" error || fail "got: $(<error)"
rm scores

# Messages must not overwrite an input either.
for command in vocab batch translate score average bleu train; do
  log=hard
  case $command in
    vocab) arguments=(-i train.src -o new) ;;
    batch) arguments=(--source train.src --target train.tgt --vocab words.spm -o new) ;;
    translate) arguments=(-m model.safetensors -i train.src -o new) ;;
    score) arguments=(-m model.safetensors --source train.src --target train.tgt) ;;
    average) arguments=(model.safetensors -o new) log=model.safetensors ;;
    bleu) arguments=(train.tgt -i train.src) ;;
    train) arguments=("${small[@]}" --vocab words.spm --source train.src --target train.tgt -o new) ;;
  esac
  refuses 2 "log-file: '$log' is the same file" nmt $command "${arguments[@]}" --log-file $log
done
rm error
[[ ! -e new ]] || fail "a refused command wrote its output"
find . -type f ! -name 'refused.*' ! -name before | sort | xargs sha256sum | cmp - before || fail "an input was touched"
