#!/usr/bin/env bash
# A model written for CTranslate2 translates there as it does here, and reading it gives the same model.
. "$(dirname "$0")/../lib.sh"
python=
for candidate in ${NMT_PYTHON:-python3 /usr/bin/python3}; do
  if "$candidate" -c 'import ctranslate2' 2>/dev/null; then python=$candidate && break; fi
done
make_model
search=(--beam 4 --beam-rules ctranslate2 --length-normalization power --length-penalty 1 --max-length-factor 0
  --max-length-extra 256)

for precision in f32 int8; do
  nmt convert -m model.safetensors --precision $precision -o $precision.safetensors --quiet
  nmt convert -m model.safetensors --to ctranslate2 --precision $precision -o $precision --quiet
  nmt translate -m $precision.safetensors --precision f32 "${search[@]}" --scores --quiet <test.src >$precision.here
done
nmt info f32 | contains "^toolkit *CTranslate2$" || fail "nmt info does not tell the toolkit"
refuses 1 "has files; name another, or replace them by --overwrite" \
  nmt convert -m model.safetensors --to ctranslate2 -o f32
nmt convert -m model.safetensors --to ctranslate2 -o f32 --overwrite --quiet

# Reading it gives the same weights, in int8 the numbers of the integers. A model brings its default search.
nmt translate -m f32 "${search[@]}" --scores --quiet <test.src >back
same back f32.here
nmt translate -m f32 --quiet <test.src >usual
overriding nmt translate -m model.safetensors --quiet "${search[@]}" --beam 2 <test.src >expected
same usual expected
nmt convert f32 -o once.safetensors --quiet
nmt convert -m once.safetensors --to ctranslate2 -o again --quiet
for file in f32/*; do same "$file" "again/${file##*/}"; done
nmt score -m f32 --source test.src --target test.tgt --quiet >scores
nmt score -m model.safetensors --source test.src --target test.tgt --quiet >expected
same scores expected

# A package of Argos Translate, as a folder or an archive, translates with the same model, which a server calls by its
# languages.
mkdir -p translate-en_de-1_0
cp -r f32 translate-en_de-1_0/model
mv translate-en_de-1_0/model/source.spm translate-en_de-1_0/sentencepiece.model
rm translate-en_de-1_0/model/target.spm
echo '{"argos_version": "1.9", "from_code": "en", "to_code": "de"}' >translate-en_de-1_0/metadata.json
python3 -m zipfile -c package.argosmodel translate-en_de-1_0
overriding nmt translate -m model.safetensors --quiet "${search[@]}" --length-penalty 0.2 <test.src >expected
for package in translate-en_de-1_0 package.argosmodel; do
  nmt translate -m $package --quiet <test.src >found
  same found expected
done
start_server nmt serve -m package.argosmodel
curl -sS "$url/languages" | contains '"code":"en".*"targets":\["de"\]' || fail "the package is not served by its languages"
kill $server
wait $server || true
head -c 9000 package.argosmodel >cut.argosmodel
refuses 1 "'cut.argosmodel' is damaged" nmt translate -m cut.argosmodel

# A model with RMSNorm.
nmt train --preset transformer-tiny --norm-kind rms --vocab words.spm --source train.src --target train.tgt \
  --batch-tokens 500 --steps 200 --save-every 0 -o rms-run --quiet
nmt convert -m rms-run/last.safetensors --to ctranslate2 -o rms --quiet
nmt translate -m rms "${search[@]}" --scores --quiet <test.src >rms.here
nmt translate -m rms-run/last.safetensors "${search[@]}" --scores --quiet <test.src >expected
same rms.here expected

# A model with gated networks, without biases, with the positions and heads of T5, and heads that share keys.
nmt train --preset transformer-tiny --norm-kind rms --norm pre --ffn-gate true --activation swish --linear-bias false \
  --positions relative --relative-distance 20 --head-size 24 --kv-heads 2 --attention-scale 0.5 \
  --vocab words.spm --source train.src --target train.tgt --batch-tokens 500 --steps 200 --save-every 0 -o gated-run --quiet
nmt convert -m gated-run/last.safetensors --to ctranslate2 -o gated --quiet
nmt translate -m gated "${search[@]}" --scores --quiet <test.src >gated.here
nmt translate -m gated-run/last.safetensors "${search[@]}" --scores --quiet <test.src >expected
same gated.here expected

# Models with rotary positions, and with vectors of distances.
for positions in rotary shaw; do
  nmt train --preset transformer-tiny --positions $positions --vocab words.spm --source train.src --target train.tgt \
    --batch-tokens 500 --steps 200 --save-every 0 -o $positions-run --quiet
  nmt convert -m $positions-run/last.safetensors --to ctranslate2 -o $positions --quiet
  nmt translate -m $positions "${search[@]}" --scores --quiet <test.src >$positions.here
  nmt translate -m $positions-run/last.safetensors "${search[@]}" --scores --quiet <test.src >expected
  same $positions.here expected
done

[[ -n $python ]] || skip "no Python here has CTranslate2 (NMT_PYTHON names another one)"
cat >translate.py <<'PYTHON'
import json
import sys

import ctranslate2

translator = ctranslate2.Translator(sys.argv[1], compute_type=sys.argv[2], inter_threads=1, intra_threads=1)
options = dict(beam_size=4, length_penalty=1, **json.loads(sys.argv[3] if len(sys.argv) > 3 else "{}"))
lines = [["▁" + word for word in line.split()] for line in sys.stdin]
for found in translator.translate_batch(lines, return_scores=True, **options):
    text = "".join(found.hypotheses[0]).replace("▁", " ").strip()
    print(f"{found.scores[0]:.6f}\t{text}")
PYTHON
same_there() { # HERE THERE WHAT
  paste "$1" "$2" | awk -F '\t' '
    { d = $1 - $3 } d > 1e-3 || d < -1e-3 || $2 != $4 { print "line " NR ": " $0; bad = 1 } END { exit bad }' ||
    fail "$3: CTranslate2 finds something else"
}
"$python" translate.py f32 float32 <test.src >f32.there
"$python" translate.py int8 float32 <test.src >int8.there
for model in rms gated rotary shaw; do "$python" translate.py $model float32 <test.src >$model.there; done
for model in f32 int8 rms gated rotary shaw; do same_there $model.here $model.there $model; done

# Searches with forbidden or penalized tokens agree as well.
tokens() { # JSON OPTION...
  "$python" translate.py f32 float32 "$1" <test.src >tokens.there
  overriding nmt translate -m f32.safetensors --precision f32 "${search[@]}" "${@:2}" --scores --quiet <test.src >tokens.here
  ! cmp -s tokens.here f32.here || fail "${*:2} changes nothing"
  same_there tokens.here tokens.there "${*:2}"
}
tokens '{"min_decoding_length": 9}' --min-length 9
tokens '{"no_repeat_ngram_size": 2}' --no-repeat-ngram-size 2
tokens '{"no_repeat_ngram_size": 1}' --no-repeat-ngram-size 1
tokens '{"repetition_penalty": 1.5}' --repetition-penalty 1.5
tokens '{"repetition_penalty": 0.8, "min_decoding_length": 7, "no_repeat_ngram_size": 3}' \
  --repetition-penalty 0.8 --min-length 7 --no-repeat-ngram-size 3
echo '▁la ▁kino' >row
tokens '{"suppress_sequences": [["▁la", "▁kino"]]}' --forbid row
"$python" translate.py int8 int8 <test.src >rounded.there
paste int8.here rounded.there | awk -F '\t' '$2 == $4 { ++same } END { exit same < 45 }' || fail "other translations in int8"
