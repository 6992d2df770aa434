#!/usr/bin/env bash
# A model with unusual settings, as in other programs, is trained, continued, used, converted and drawn.
. "$(dirname "$0")/../lib.sh"
make_text
make_vocabulary
other=(--norm both --final-norm true --embedding-norm true --embedding-scale 4 --activation swish --tied-embeddings inputs
  --output-bias false --positions tensor2tensor --position-offset 2 --decoder-start eos --ffn-layers 3
  --decoder-ffn-layers 2 --decoder-d-ff 96 --decoder-layers 4 --tied-decoder-layers "1 1 3 3" --decoder-layer average
  --average-d-ff 80)

# It continues where it stopped, with the settings in its folder.
train "${other[@]}" --steps 20
cp -r run whole
rm -r run
train "${other[@]}" --steps 10
nmt train -o run --steps 20 --quiet
same run/last.safetensors whole/last.safetensors
refuses 2 "tied-decoder-layers: the run in .* has tied_decoder_layers 1 1 3 3, not none" \
  nmt train -o run --tied-decoder-layers none --steps 30
refuses 2 "--tied-decoder-layers and .*'1 1' is not a number from 1 to 4 for each of the 4 layers" \
  train "${other[@]}" --tied-decoder-layers "1 1" -o new
refuses 2 "average-gate is for decoder_layer 'average' alone" train --average-gate false -o new

# A modern one without biases trains, translates in int8 and becomes a model of CTranslate2 and back.
train -o modern --steps 10 --norm-kind rms --norm pre --ffn-gate true --activation swish --linear-bias false \
  --positions rotary
nmt info modern --json >facts
grep -q '"ffn_gate": *"true"' facts || fail "no gate in the facts"
nmt convert -m modern --to ctranslate2 -o folder --quiet
for model in modern folder; do nmt score -m $model --source test.src --target test.tgt --quiet >scores.$model; done
same scores.folder scores.modern
nmt convert -m modern -o small.safetensors --precision int8 --quiet
nmt translate -m small.safetensors --quiet <test.src >translated
equal "$(wc -l <translated)" 50 "lines of the modern model in int8"
refuses 1 "ffn_gate true" nmt convert -m modern/last.safetensors --to marian -o marian
refuses 2 "ffn_gate needs two matrices" train "${other[@]}" --ffn-gate true -o new

# Weights are numbered by their sets.
nmt info run --json >facts
for setting in '"tied_decoder_layers": *"1 1 3 3"' '"decoder_layer": *"average"' '"embedding_scale": *"4"'; do
  grep -q "$setting" facts || fail "no $setting in the facts"
done
strings=$(head -c 20000 run/last.safetensors | grep -ao '"decoder\.layers\.[0-9]*' | sort -u | tr '\n' ' ')
equal "$strings" '"decoder.layers.0 "decoder.layers.2 ' "sets of weights"

# It translates, also in int8, and shows its attention.
nmt translate -m run --quiet <test.src >translated
equal "$(wc -l <translated)" 50 "lines"
nmt convert -m run -o small.safetensors --precision int8 --quiet
nmt translate -m small.safetensors --quiet <test.src >translated
equal "$(wc -l <translated)" 50 "lines in int8"
nmt attention -m run --source test.src --target test.tgt --lines 1 --kind cross --format tsv --quiet >weights.tsv
refuses 2 "kind decoder: the model has no attention of this kind" \
  nmt attention -m run --source test.src --target test.tgt --lines 1 --kind decoder --format tsv --quiet

nmt plot architecture -m run -q >model.svg
count() { grep -cE ">$1<" model.svg || true; }
for text in 'of Tensor2Tensor, from 2:2' 'EOS first:1' 'Feed-forward, 3 matrices:1' '96 wide, Swish:1' '80 wide, Swish:1' \
  'Average so far:1' 'Gates:1' 'Masked self-attention:0' 'Add &amp; Norm:5' 'Norm:9' 'The linear layer has no bias\.:1' \
  'Embeddings are multiplied by 4\.:1' 'Sets of weights of the layers of the decoder. 1 1 3 3\.:1' \
  'One matrix serves both embeddings, another one the linear layer\.:1'; do
  equal "$(count "${text%:*}")" "${text##*:}" "how often '${text%:*}' stands in the architecture"
done
# A model with a recurrent unit works in the same way, also with RMSNorm, which has no biases.
train --decoder-layer ssru --decoder-layers 2 --tied-decoder-layers "1 1" --ssru-projection true --norm-kind rms --steps 10 \
  -o recurrent
nmt info recurrent --json | contains '"norm_kind": *"rms"' || fail "no RMSNorm in the facts"
equal "$(head -c 20000 recurrent/last.safetensors | grep -ao '"[a-z0-9.]*norm[0-9]\.[a-z]*' | sed 's/.*\.//' | sort -u)" weight \
  "weights of RMSNorm"
nmt translate -m recurrent --quiet <test.src >translated
equal "$(wc -l <translated)" 50 "lines"
nmt convert -m recurrent -o recurrent.safetensors --precision int8 --quiet
nmt translate -m recurrent.safetensors --quiet <test.src >translated
equal "$(wc -l <translated)" 50 "lines in int8"
nmt plot architecture -m recurrent -q >model.svg
for text in 'Recurrent unit:1' 'SSRU:1' 'Linear:2' 'Masked self-attention:0' \
  'Norm divides by the root mean square .RMSNorm.\.:1'; do
  equal "$(count "${text%:*}")" "${text##*:}" "how often '${text%:*}' stands in the architecture"
done
refuses 2 "ssru-projection is for decoder_layer 'ssru' alone" train --ssru-projection true -o new
refuses 2 "--norm-kind and --norm: norm_kind 'rms' has no effect" train --norm-kind rms --norm none -o new
refuses 1 "decoder_layer ssru" nmt convert -m recurrent/last.safetensors --to ctranslate2 -o no

nmt plot positions -m run -q | contains 'all sines, then all cosines, of Tensor2Tensor' || fail "other positions"
