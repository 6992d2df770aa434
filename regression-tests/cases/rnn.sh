#!/usr/bin/env bash
# A recurrent model learns, continues exactly, finds translations by their scores, and is not mistaken for a
# Transformer.
. "$(dirname "$0")/../lib.sh"
make_text
make_vocabulary
text=(--vocab words.spm --source train.src --target train.tgt)
tiny=(--preset rnn-small "${text[@]}" --d-embedding 48 --d-state 64 --warmup 100 --dropout 0.1 --activation-dropout 0.1
  --batch-tokens 500 --save-every 0 --quiet)

nmt train "${tiny[@]}" --steps 600 -o run
nmt translate -m run/ -i test.src --quiet >translated
holds "$(nmt bleu test.tgt --score-only --quiet <translated) > 80"

# A run in two parts equals a run in one part, with every kind of layer.
deep=(--cell lstm --decoder-cell gru --encoder-layers 2 --decoder-layers 2 --encoder-directions alternating
  --encoder-transition-depth 2 --decoder-base-transition-depth 3 --decoder-high-transition-depth 2
  --skip-connections true --layer-normalization true --decoder-start zero)
nmt train "${tiny[@]}" "${deep[@]}" --steps 20 -o whole
nmt train "${tiny[@]}" "${deep[@]}" --steps 10 -o parts
nmt train "${tiny[@]}" "${deep[@]}" --steps 20 -o parts
same whole/last.safetensors parts/last.safetensors

# A decoder that attends after its last layer, with input feeding, continues exactly as well.
luong=(--attention general --input-feeding true --encoder-d-state 32 --decoder-layers 2 --cell lstm
  --decoder-start zero)
nmt train "${tiny[@]}" "${luong[@]}" --steps 20 -o fed
nmt train "${tiny[@]}" "${luong[@]}" --steps 10 -o fed-parts
nmt train "${tiny[@]}" "${luong[@]}" --steps 20 -o fed-parts
same fed/last.safetensors fed-parts/last.safetensors

# The search reports the probabilities that nmt score computes, for any batch size and beam.
for model in run/last.safetensors whole/last.safetensors fed/last.safetensors; do
  nmt translate -m "$model" -i test.src --scores --length-penalty 0 --quiet >scored
  nmt translate -m "$model" -i test.src --scores --length-penalty 0 --batch-tokens 1 --threads 1 --quiet >alone
  same scored alone
  cut -f 2 scored >found
  nmt score -m "$model" --source test.src --target found --quiet >scores
  paste <(cut -f 1 scored) scores | awk '{ d = $1 - $2; if (d < 0) d = -d; if (d > 1e-4) exit 1 }' ||
    fail "$model: search and scoring differ"
done

# Alignments come from its attention, which has one head. A smaller file translates similarly.
nmt translate -m run/ -i test.src --alignment hard --quiet >aligned
equal "$(grep -c ' ||| [0-9]*-[0-9]' aligned)" 50 "lines with an alignment"
nmt convert -m run/last.safetensors --precision int8 -o small.safetensors --quiet
nmt translate -m small.safetensors -i test.src --quiet >smaller
holds "$(nmt bleu translated --score-only --quiet <smaller) > 90"

# Writing it for Marian and reading it again gives the same model.
nmt convert -m whole/last.safetensors --to marian -o marian --quiet
nmt convert marian -o back.safetensors --quiet
nmt score -m whole/last.safetensors --source test.src --target test.tgt --quiet >before
nmt score -m back.safetensors --source test.src --target test.tgt --quiet >after
same before after
refuses 1 "Marian, which does not support attention general" nmt convert -m fed/last.safetensors --to marian -o no

no=("${tiny[@]}" -o no)
refuses 2 "--heads needs a model of type transformer" nmt train "${no[@]}" --heads 2
refuses 2 "--attention-dropout needs a model whose attention has dropout" nmt train "${no[@]}" --attention-dropout 0.1
refuses 2 "decoder-base-transition-depth" nmt train "${no[@]}" --decoder-base-transition-depth 1
refuses 2 "input-feeding is for attention dot, general and concat" nmt train "${no[@]}" --input-feeding true
refuses 2 "attention dot needs an encoder as wide as .*64, not 128" \
  nmt train "${no[@]}" --attention dot
refuses 2 "decoder_base_transition_depth is for attention additive" \
  nmt train "${no[@]}" --attention general --decoder-base-transition-depth 3
refuses 2 "--d-state needs a model of type rnn" nmt train "${small[@]}" "${text[@]}" --d-state 9 -o no
