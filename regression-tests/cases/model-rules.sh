#!/usr/bin/env bash
# Models of other toolkits bring their beam rules, which yield to constraints, alternatives and groups.
. "$(dirname "$0")/../lib.sh"
make_model

# A model with its rules gives the same output as with the rules of nmt, and a notice names each setting that yielded.
gives_way() { # MODEL RULES SOURCE CONSTRAINTS; the constraints can be met
  local options translations="$4.translations"
  nmt translate -m "$1" -i "$3" --scores >usual 2>log
  if grep overrides log; then fail "$1: something gives way although nothing is asked for"; fi
  nmt translate -m "$1" -i "$3" --scores --beam-rules "$2" --quiet >expected
  same usual expected
  for options in "--constraints $4" '--beam 4 --beam-groups 2' '--beam 4 --n-best 2 --alternatives'; do
    # shellcheck disable=SC2086
    nmt translate -m "$1" -i "$3" $options >found 2>log
    equal "$(grep -c "overrides the default --beam-rules $2: searching with nmt" log)" 1 "notices of $1, $options"
    # shellcheck disable=SC2086
    nmt translate -m "$1" -i "$3" $options --beam-rules nmt --quiet >expected
    same found expected
    # shellcheck disable=SC2086
    refuses 2 "need the beam rules of nmt, but --beam-rules is $2; leave one out" \
      nmt translate -m "$1" -i "$3" --quiet $options --beam-rules "$2"
  done
  nmt translate -m "$1" -i "$3" --constraints "$4" --beam 8 --output-format jsonl --quiet >"$translations"
  equal "$(grep -c missing_constraints "$translations")" 0 "lines of $1 without their constraint"
}

tail -n 20 test.src >source
awk '{ print $(NF - 1) }' test.tgt | sed -n 1,20p >constraints # words of other lines
nmt convert -m model.safetensors --to ctranslate2 -o ctranslate2 --quiet
gives_way ctranslate2 ctranslate2 source constraints

# A server answers such requests with notices as well.
start_server "$NMT" serve -m m=ctranslate2
ask() { curl --silent --show-error "$url/v1/translate" --data-binary "$1" -H 'Content-Type: application/json'; }
word=$(head -n 1 constraints) text=$(head -n 1 source)
ask '{"text": "'"$text"'", "constraints": ["'"$word"'"]}' >answer
grep -q "\"text\":\"[^\"]*\b$word\b" answer || fail "no '$word': $(<answer)"
grep -qF "'constraints' overrides the default 'beam_rules' ctranslate2: searching with nmt" answer || fail "no notice: $(<answer)"
equal "$(ask '{"text": "a", "n_best": 3, "alternatives": true}' | grep -o '"alternative":' | wc -l)" 4 "alternatives"
ask '{"text": "a", "beam_groups": 2}' | contains "'beam_groups' overrides" || fail "no groups"
ask '{"text": "a", "beam_groups": 2, "beam_rules": "ctranslate2"}' >answer
grep -q 'need the beam rules of nmt' answer || fail "no conflict: $(<answer)"

models=${NMT_REFERENCE_DATA:-}/foreign
[[ -d $models/marian ]] || skip "NMT_REFERENCE_DATA names no folder with foreign/marian"
head -n 20 "$models/marian/in.en" >source
for ((i = 0; i < 20; ++i)); do echo Hund; done >constraints
nmt convert "$models/marian/transformer-post/model.npz" --vocab "$models/marian/joint.spm" -o marian.safetensors --quiet
gives_way marian.safetensors marian source constraints
gives_way "$models/huggingface/marian" huggingface source constraints
printf '%s\n' 'آ ت ز م و ن' 'آ ت ش ي س و ن' >source
printf 'e\ne\n' >constraints
gives_way "$models/ctranslate2/aren-transliteration-v2" ctranslate2 source constraints
