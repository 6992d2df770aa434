#!/usr/bin/env bash
# From text to BLEU on an artificial language pair that a tiny model can learn.
. "$(dirname "$0")/../lib.sh"
make_text
head -n 40 test.src >valid.src
head -n 40 test.tgt >valid.tgt

nmt vocab -i train.src -i train.tgt -o shared.spm --type bpe --size 100
nmt train --preset transformer-tiny --d-model 64 --d-ff 128 --vocab shared.spm --source train.src --target train.tgt \
  --valid-source valid.src --valid-target valid.tgt --dropout 0 --batch-tokens 800 --warmup 100 \
  --steps 300 --valid-every 150 --save-every 100 --keep-last 2 --log-every 50 -o run

for file in config.yml last.safetensors metrics.jsonl train.log; do
  [[ -s run/$file ]] || fail "the run has no $file"
done
equal "$(cd run && echo step-*)" "step-00000200.safetensors step-00000300.safetensors" "checkpoints"
equal "$(grep -c '"event": *"train"' run/metrics.jsonl)" 6 "lines of training in metrics.jsonl"
equal "$(grep -c '"event": *"valid"' run/metrics.jsonl)" 2 "lines of validation in metrics.jsonl"
for name in step epoch loss nll perplexity learning_rate gradient_norm source_tokens target_tokens \
  target_tokens_per_second seconds data_wait; do
  grep '"train"' run/metrics.jsonl | sed -n 1p | contains "\"$name\":" || fail "metrics.jsonl lacks $name"
done

nmt translate -m run/last.safetensors <test.src >test.out
equal "$(wc -l <test.out)" 50 "lines of translation"
bleu=$(nmt bleu test.tgt -b <test.out)
echo "BLEU of unseen sentences: $bleu"
paste -d '\n' test.tgt test.out | sed -n 1,10p
holds "$bleu > 80"
