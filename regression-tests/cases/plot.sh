#!/usr/bin/env bash
# Pictures of the paper from the program's own functions.
. "$(dirname "$0")/../lib.sh"
pictures=$(dirname "$0")/../../doc/pictures

# The pictures in doc/ are up to date.
for picture in architecture positions schedule smoothing masks; do
  nmt plot $picture -o $picture.svg
  same $picture.svg "$pictures/$picture.svg"
  nmt plot $picture >stdout
  same stdout $picture.svg
done

# The learning rates are those of training: the peaks of 512:4000 and 256:4000 differ by a factor of sqrt(2).
nmt plot schedule --curve 512:4000 --curve 256:4000 | grep -o '<polyline class="series[01]" points="[^"]*"' |
  sed 's/.*points="//; s/"//' | awk '
    { height = 0; n = split($0, point, " "); split(point[1], first, ",")
      for (i = 1; i <= n; ++i) { split(point[i], at, ","); if (first[2] - at[2] > height) height = first[2] - at[2] }
      peak[NR] = height }
    END { ratio = peak[2] / peak[1]; exit !(NR == 2 && ratio > 1.40 && ratio < 1.43) }' || fail "other peaks"

# Dimensions can be set.
nmt plot positions --d-model 6 --positions 5 >small.svg
equal "$(grep -o '>dimension [0-9]*<' small.svg | tr '\n' ' ')" '>dimension 0< >dimension 2< >dimension 4< ' "waves"
nmt plot masks --pair 2:1 | grep -o '>a[0-9]<' | sort | uniq -c | tr -s ' \n' ' ' >names
equal "$(<names)" ' 6 >a1< 3 >a2< ' "names of tokens"
# A legend explains the colors of masks.
nmt plot masks --pair 2:1 --pair 1:2 >legend.svg
shades() { grep -o '<\(rect\|path\) [^>]*class="[^"]*fill[0-9]*' legend.svg | grep -o "<$1.*" | grep -o 'fill[0-9]*$' | sort -u; }
same <(shades rect) <(shades path)
equal "$(grep -oE '>(the query attends to the key|masked: a later token, or another sentence)<' legend.svg | wc -l)" 2 "meanings of colors"
nmt plot smoothing --vocabulary 4 --label-smoothing 0.2 | contains '>0.8500 or 0.0500<' || fail "other targets"
nmt plot smoothing --label-smoothing 0 | contains '>1.0000 or 0.0000<' || fail "other targets without smoothing"

# A model's own figures, for the pictures that have them.
make_text
make_vocabulary
train --steps 1 --norm post --tied-embeddings target --activation gelu --positions learned --max-positions 40 --max-length 30 --warmup 70
nmt plot architecture -m run/ -q >model.svg
count() { grep -cE ">$1<" model.svg || true; }
for text in '56 × 64:2' '64 × 56:1' 'learned, 40:2' '128 wide, GELU:2' '4 heads of 16:3' 'Add &amp; Norm:5' 'Norm:0' '1 ×:2' \
  'One matrix serves the target embedding and the linear layer\.:1' 'run:1'; do
  equal "$(count "${text%:*}")" "${text##*:}" "how often '${text%:*}' stands in the architecture"
done
nmt plot architecture --preset transformer-tiny >model.svg
for text in 'vocabulary × 128:2' 'Norm:7' 'Add:5' 'Add &amp; Norm:0' 'sinusoids:2' '512 wide, ReLU:2'; do
  equal "$(count "${text%:*}")" "${text##*:}" "how often '${text%:*}' stands in the architecture of the preset"
done
# Recurrent models, with attention in the first decoder layer or after the last one.
nmt plot architecture --preset rnn >model.svg
for text in 'vocabulary × 512:2' '512 × vocabulary:1' 'GRU, both directions:1' 'states of 2 × 1,024:1' 'GRU:2' \
  'states of 1,024:2' additive:1 'of word, state and context:1' '1 ×:2' Add:0 annotations:1 'd_embedding 512, d_state 1,024:1'; do
  equal "$(count "${text%:*}")" "${text##*:}" "how often '${text%:*}' stands in the architecture of rnn"
done
nmt plot architecture --preset rnn-deep >model.svg
for text in 'GRU, alternating:1' '4 ×:1' '3 ×:1' Add:2 'states of 1,024, 3 cells:1' 'Cells and layers have layer normalization\.:1'; do
  equal "$(count "${text%:*}")" "${text##*:}" "how often '${text%:*}' stands in the architecture of rnn-deep"
done
nmt train --preset rnn-small --vocab words.spm --source train.src --target train.tgt --d-embedding 16 --d-state 20 --cell lstm \
  --attention general --decoder-layers 2 --input-feeding true --batch-tokens 500 --steps 1 --save-every 0 -o recurrent --quiet
nmt plot architecture -m recurrent -q >model.svg
for text in '56 × 16:2' 'LSTM, both directions:1' LSTM:1 '2 ×:1' general:1 'of state and context:1' \
  'What the linear layer takes is input for the next token, too\.:1'; do
  equal "$(count "${text%:*}")" "${text##*:}" "how often '${text%:*}' stands in the architecture of a recurrent model"
done
nmt plot schedule --preset rnn | contains '>Learning rate of rnn<' || fail "no schedule of rnn"
refuses 2 "preset: a recurrent model has no position embeddings" nmt plot positions --preset rnn
refuses 2 "preset: the model has no position embeddings .positions: rotary." \
  nmt plot positions --preset transformer-small-modern
nmt plot architecture --preset transformer-small-modern -q >model.svg
equal "$(count '4 heads of 64, rotary') $(count 'Positional encoding')" "2 0" "rotary positions"
nmt train --preset transformer-tiny --d-model 16 --heads 2 --positions none --vocab words.spm --source train.src \
  --target train.tgt --batch-tokens 500 --steps 1 --save-every 0 -o no-positions --quiet
refuses 2 "the model has no position embeddings" nmt plot positions -m no-positions -q
nmt plot architecture -m no-positions -q >model.svg
equal "$(count 'Positional encoding')" 0 "positions in the architecture of a model without them"
nmt plot positions -m run -q >model.svg
equal "$(count 'Learned position embeddings, d_model 64')" 1 "titles of learned positions"
refuses 2 "positions 41: the model has learned 40" nmt plot positions -m run -q --positions 41
nmt plot schedule -m run -q >model.svg
nmt plot schedule --curve 64:70 >curve.svg
same <(grep -o 'points="[^"]*"' model.svg) <(grep -o 'points="[^"]*"' curve.svg)
(($(count "Learning rate of run") > 0)) || fail "a model's rates have another title"
nmt plot smoothing -m run -q >model.svg
equal "$(count 'smoothing 0.1')" 1 "curves of the model's smoothing"
refuses 2 "same file" nmt plot architecture -m run -q -o run/last.safetensors
refuses 2 "exclude each other" nmt plot architecture -m run --preset transformer-tiny
refuses 2 "model and --d-model exclude each other" nmt plot positions -m run --d-model 64
refuses 2 "preset needs the picture architecture or positions or schedule or smoothing" nmt plot masks --preset transformer-tiny
refuses 1 "train.src" nmt plot architecture -m train.src

if command -v rsvg-convert >/dev/null; then
  nmt plot masks -o masks.png
  equal "$(head -c 4 masks.png | tail -c 3)" PNG "the beginning of a PNG"
  nmt plot masks --format png -o other
  same other masks.png
  nmt plot masks --format svg -o svg.png
  same svg.png masks.svg
fi
refuses 1 "rsvg-convert.* is not installed; .*librsvg2-bin" env PATH=/nowhere "$NMT" plot masks --format png
refuses 2 "unknown picture 'mask', did you mean 'masks'\?" nmt plot mask
refuses 2 "PICTURE is missing" nmt plot
refuses 2 "curve.* got '512'" nmt plot schedule --curve 512
refuses 2 "curve.* got '512:0'" nmt plot schedule --curve 512:0
refuses 2 "curve needs the picture schedule" nmt plot masks --curve 512:4000
refuses 2 "pair.* got '6'" nmt plot masks --pair 6
refuses 2 "d-model" nmt plot positions --d-model 5000
refuses 1 "missing" nmt plot masks -o missing/masks.svg
