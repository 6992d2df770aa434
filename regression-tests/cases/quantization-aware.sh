#!/usr/bin/env bash
# Training for int8: validation measures the model in int8, unlike other training, and runs continue exactly.
. "$(dirname "$0")/../lib.sh"
make_text
make_vocabulary
train --steps 150

tune() { # DIRECTORY [OPTION...]
  overriding nmt train --from-weights run/last.safetensors --source train.src --target train.tgt --valid-source test.src \
    --valid-target test.tgt --valid-beam 0 --batch-tokens 500 --schedule constant --learning-rate 1e-3 --warmup 0 \
    --steps 20 --save-every 10 --quiet -o "$@"
}
measured() { tail -n 1 "$1/metrics.jsonl" | grep -o '"perplexity":[^,}]*' | cut -d : -f 2; } # DIRECTORY
perplexity() {                                                                              # MODEL [OPTION...]
  nmt score -m "$1" --source test.src --target test.tgt --summary perplexity --quiet "${@:2}"
}
tune rounded --quantization-aware
nmt convert -m rounded/last.safetensors --precision int8 -o rounded.int8.safetensors --quiet
found=$(measured rounded) expected=$(perplexity rounded.int8.safetensors)
holds "($found - $expected) ^ 2 < (2e-3 * $expected) ^ 2"
grep -q '^quantization_aware: true$' rounded/config.yml || fail "not in the configuration"

# A run continues exactly, also with other training.
tune again --quantization-aware --steps 10
tune again --quantization-aware
same again/last.safetensors rounded/last.safetensors
tune again --no-quantization-aware --steps 30

# Recurrent models, and a moving average of weights.
nmt train --preset rnn-small --d-embedding 48 --d-state 64 --warmup 10 --vocab words.spm --source train.src --target train.tgt --valid-source test.src \
  --valid-target test.tgt --valid-beam 1 --batch-tokens 500 --steps 10 --quantization-aware --ema 0.5 --quiet -o recurrent
nmt convert -m recurrent/last.safetensors --precision int8 -o recurrent.int8.safetensors --quiet
found=$(measured recurrent) expected=$(perplexity recurrent.int8.safetensors)
holds "($found - $expected) ^ 2 < (2e-3 * $expected) ^ 2"
