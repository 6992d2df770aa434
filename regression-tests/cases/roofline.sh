#!/usr/bin/env bash
# The figures of bench/roofline.py for an update and for a search step match the program: the bytes of every kernel and
# the operations of products, as counted by the emulator.
. "$(dirname "$0")/../lib.sh"
skip_sanitized "they do not build the emulator"
checked=$(dirname "$(realpath "$NMT")")/tests/checked/lib/libnmt_cuda.so
[[ -f $checked ]] || skip "the emulator that checks accesses was not built"
command -v python3 >/dev/null || skip "no python3"
mkdir -p here/lib
cp "$NMT" here/nmt
cp "$checked" here/lib

# Pairs of 24 words, which are 25 tokens on either side: ten, and 16, whose search needs no padding.
words() { # STEP [PAIRS]
  awk -v step="$1" -v pairs="${2:-10}" 'BEGIN { for (i = 0; i < pairs; ++i) { for (j = 0; j < 24; ++j) printf "w%d ", (i * 29 + j * step) % 100; print "" } }'
}
words 7 >text.en
words 9 >text.de
words 7 16 >more.en
nmt vocab -i text.en -i text.de -o words.spm --size 103 --type word --quiet
for steps in 1 2; do
  NMT_EMULATOR_LISTING=listed.$steps here/nmt train --preset transformer-base --d-model 128 --d-ff 256 --heads 2 --encoder-layers 1 \
    --decoder-layers 1 --vocab words.spm --source text.en --target text.de --batch-tokens 250 --steps $steps --device cuda \
    --precision bf16 --quiet -o run.$steps
done
agrees() { # OPTION...
  local told
  told=$(python3 "$(dirname "$0")/../../bench/roofline.py" "$@" --d-model 128 --d-ff 256 --heads 2 --layers 1 --vocabulary 103) ||
    fail "paper and program differ: $told"
}
agrees --listed listed.2 listed.1 --rows 256

# The eighth token of 16 translations, greedily, since hypotheses of a beam share some of their past.
for tokens in 6 7; do
  NMT_EMULATOR_LISTING=search.$tokens here/nmt translate -m run.2/last.safetensors --device cuda --precision bf16 --beam 1 \
    --min-length 50 --max-length-factor 0 --max-length-extra $tokens -i more.en -o out.$tokens --quiet
done
agrees --listed search.7 search.6 --search 16 --beam 1 --position 7
