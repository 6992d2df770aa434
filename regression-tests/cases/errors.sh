#!/usr/bin/env bash
# Bad input to training gives one line that names the problem, and nothing is overwritten.
. "$(dirname "$0")/../lib.sh"
make_model

train() { # OPTION...
  overriding nmt train "${small[@]}" --vocab words.spm --source train.src --target train.tgt -o new --steps 1 "$@"
}

# Text.
refuses 1 "missing" train --source missing
refuses 1 "directory" train --target .
head -n 499 train.src >short.src
iconv -f UTF-8 -t UTF-16 train.src >utf-16.src
refuses 1 "utf-16\.src' is UTF-16, not UTF-8; convert it with 'iconv -f UTF-16 -t UTF-8'" train --source utf-16.src
printf 'BZh91AY&SY' >train.src.bz2
refuses 1 "bz2' is in bzip2 format, which is not read here; unpack it with 'bzip2 -dc'" train --source train.src.bz2
TMPDIR=/missing refuses 1 "temporary file '/missing/.*set TMPDIR" train
refuses 1 "499|500" train --source short.src
refuses 1 "499|500" train --valid-source short.src --valid-target train.tgt
refuses 2 "valid-target" train --valid-source train.src

refuses 1 "cannot read 'two lines'" train --source $'two\nlines'

# Settings, from the command line and from files.
refuses 2 "text is needed: .* --train FILE.nmtc" nmt train -o new
refuses 2 "standard input can be one text only, but --source and --target" nmt train --source - --target - -o new
refuses 2 "a vocabulary is needed" nmt train --source train.src --target train.tgt -o new
refuses 2 "unknown option '--wramup', did you mean '--warmup'" train --wramup 3
refuses 2 "dropout.*1\.5|1\.5.*dropout" train --dropout 1.5
refuses 2 "steps" train --steps many
refuses 2 "save-every: .*8h \(hours\).* got '5x'$" train --save-every 5x
refuses 2 "d_model 64 is not divisible by heads 7" train --heads 7
refuses 2 "norm" train --norm before
refuses 2 "preset" train --preset transformer-huge
refuses 2 "preset: .*got 'big', did you mean 'transformer-big'" train --preset big
refuses 1 "has no pair to train on: .*; check the text, and the settings that drop pairs" train --max-length 1
refuses 2 "max-ratio: expected a ratio of at least 1, or 0 for any, got 0.5" train --max-ratio 0.5
refuses 2 "--heads '0' is not a whole number from 1 to" train --heads 0
refuses 2 "f16 needs a CUDA device: on the CPU, use auto, f32, bf16 or, to translate, int8" train --precision f16 --device cpu
refuses 2 "device" train --device abacus
printf 'steps: 2\nmodel:\n  d_modle: 64\n' >typo.yml
refuses 2 "typo\.yml:3: unknown setting 'd_modle', did you mean 'd_model'" train --config typo.yml
printf 'steps: 2\nwarmup: -1\n' >range.yml
refuses 2 "range\.yml:2: warmup" train --config range.yml
printf 'steps: [2\n' >syntax.yml
refuses 2 "syntax\.yml:[0-9]" train --config syntax.yml
refuses 2 "missing\.yml" train --config missing.yml
printf 'model:\n  d_model: 64\n  heads: 7\n' >heads.yml
refuses 2 "heads\.yml:2: d_model and heads\.yml:3: heads: d_model 64 is not divisible by heads 7" train --config heads.yml
printf 'tsv: train.src\nvocab: words.spm\n' >both.yml
refuses 2 "both\.yml:1: tsv contains both sides; leave out --source and --target" train --config both.yml
refuses 2 "both\.yml:2: vocab is for both sides; leave out --source-vocab" nmt batch --config both.yml -o new \
  --source-vocab words.spm
printf 'scores: true\n' >scores.yml
refuses 2 "--n-best and scores\.yml:1: scores exclude" nmt translate -m model.safetensors --n-best 2 --config scores.yml
refuses 2 "batch-tokens: .* got '5m', did you mean '5000000'" train --batch-tokens 5m
refuses 2 "batch-tokens: .* got '25.000', did you mean '25000'" train --batch-tokens 25.000
refuses 2 "learning-rate: .* got '0,001', did you mean '0.001'" train --learning-rate 0,001

# Names and values of other toolkits.
refuses 2 "unknown option '--lr', did you mean '--learning-rate' \(with --schedule noam a factor" train --lr 0.1
refuses 2 "'--batch-size', did you mean '--batch-tokens' \(tokens, not sentences\)" train --batch-size 32
refuses 2 "'--max-epoch', did you mean '--epochs'\?" train --max-epoch 3
refuses 2 "'--gpus', did you mean '--device cuda'" train --gpus 1
refuses 2 "'-src', did you mean '--source'" train -src x
refuses 2 "'--beam-size', did you mean '--beam'\?" nmt translate -m model.safetensors --beam-size 6
refuses 2 "'-b', did you mean '--beam'\?" nmt translate -m model.safetensors -b 6
refuses 2 "'--vocab-size', did you mean '--size'\?" nmt vocab -i train.src -o x.spm --vocab-size 40
printf 'lr: 1e-3\n' >foreign.yml
refuses 2 "foreign\.yml:1: unknown setting 'lr', did you mean 'learning_rate'" train --config foreign.yml
refuses 2 "preset: .*got 'tiny', did you mean 'transformer-tiny' or 'student-tiny'" train --preset tiny
printf 'drop_identical: no\nmax_length: 1k\nstop_after: 4m30s\nprecision: Float32\n' >obvious.yml
train --config obvious.yml --steps 100_000 --dry-run >resolved
for line in 'steps: 100000' 'max_length: 1000' 'stop_after: 270s' 'drop_identical: false' 'precision: f32'; do
  grep -qx "$line" resolved || fail "no '$line' in $(<resolved)"
done

# Invalid vocabularies and models, or wrong ones.
refuses 1 "train\.src. is text, not a vocabulary; make one from it: nmt vocab" train --vocab train.src
refuses 1 "missing" train --vocab missing
refuses 2 "sampling-alpha needs vocabularies of type unigram or bpe" train --sampling-alpha 0.1
refuses 2 "source_vocabulary|source-vocabulary" train --source-vocabulary 1000
nmt vocab -i train.tgt -o letters.spm --type char --size 30 --quiet
refuses 2 "tied_embeddings" nmt train "${small[@]}" --source train.src --target train.tgt -o new --steps 1 \
  --source-vocab words.spm --target-vocab letters.spm
head -c 1000 model.safetensors >cut.safetensors
head -c -1 model.safetensors >shorter.safetensors
for model in cut shorter; do
  refuses 1 "$model\.safetensors' is damaged" nmt translate -m $model.safetensors <test.src
  refuses 1 "$model\.safetensors' is damaged" nmt train --from-weights $model.safetensors \
    --source train.src --target train.tgt -o new
done
{ head -c 20000 model.safetensors && printf x && tail -c +20002 model.safetensors; } >changed.safetensors
refuses 1 "changed\.safetensors' is damaged" nmt translate -m changed.safetensors <test.src
refuses 1 "train\.src" nmt translate -m train.src <test.src
refuses 1 "words\.spm" nmt score -m words.spm --source test.src --target test.tgt
printf '\x40\0\0\0\0\0\0\0%-64s\0\0\0\0' '{"a":{"dtype":"F32","shape":[1],"data_offsets":[0,4]}}' >foreign
refuses 1 "foreign" nmt translate -m foreign <test.src

# None of this created a run, and an existing run is unchanged.
[[ ! -e new ]] || fail "a refused command left $(ls new)"
rm -r run/state
find run -type f -exec sha256sum {} + | sort >before
refuses 1 "the run in 'run' cannot continue.*--overwrite" train -o run
refuses 1 "the run in 'run' cannot continue.*--overwrite" nmt train -o run
mv run/config.yml kept.yml
refuses 1 "the run in 'run' cannot continue, because 'run/config.yml' is missing; restore it, .*--overwrite" train -o run
mv kept.yml run/config.yml
refuses 1 "missing" train -o run --overwrite --source missing
find run -type f ! -path '*/state/*' -exec sha256sum {} + | sort >after
same before after
train -o run --overwrite --quiet
[[ -f run/step-00000001.safetensors && ! -f run/step-00000150.safetensors ]] || fail "--overwrite did not start anew"
