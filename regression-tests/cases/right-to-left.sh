#!/usr/bin/env bash
# Models that read a side from the last token to the first. Marian's (right-left) reverse both sides.
. "$(dirname "$0")/../lib.sh"
data=$(cd "$(dirname "$0")/../../tests/data/marian-right-left" && pwd)

# Checks that the first numbers on the lines of two files differ by less than 1e-4.
close() { # FILE FILE LINES
  equal "$(wc -l <"$1") $(wc -l <"$2")" "$3 $3" "lines of scores"
  paste <(cut -d ' ' -f 1 "$1") <(cut -d ' ' -f 1 "$2") |
    awk '{ d = $1 - $2; if (d * d >= 1e-8) { print; exit 1 } }' || fail "other scores in $1 than in $2"
}

# A model trained by Marian scores and translates as in Marian (tests/fixtures/marian_right_left.sh).
open() { nmt convert "$1/model.npz" --source-vocab "$1/source.yml" --target-vocab "$1/target.yml" -o "$2" --quiet; }
open "$data" marian.safetensors
for side in source target; do
  nmt info marian.safetensors | contains "^ *$side direction *right-to-left$" || fail "nmt info shows no $side direction"
done
score() { nmt score -m "$1" --source "$data/source.txt" --target "$data/target.txt" --quiet "${@:2}"; }
score marian.safetensors >scores
close scores "$data/scores.txt" 20

# Marian prints token scores in the order of the model, with EOS last, and nmt in the order of the text.
score marian.safetensors --per-token | cut -f 2 >tokens
sed 's/.*WordScores= //' "$data/scores.txt" | paste -d '|' - tokens | awk -F '|' '
  { n = split($1, marian, " "); if (split($2, text, " ") != n) exit 1
    for (i = 1; i <= n; ++i) { d = text[i] - marian[i < n ? n - i : n]; if (d * d > 1e-8) exit 1 } }' ||
  fail "other scores of tokens than Marian's"

search=(--beam 4 --length-penalty 0.6 --quiet)
nmt translate -m marian.safetensors -i "$data/source.txt" "${search[@]}" >translated
same translated "$data/translations.txt"
nmt translate -m marian.safetensors -i "$data/source.txt" "${search[@]}" --alignment hard --alignment-head 1 >aligned
# Marian counts words of alignments from the end and includes EOS, which nmt omits.
paste -d '#' "$data/source.txt" aligned "$data/alignments.txt" | awk -F '#' '
  { m = split($1, s, " "); split($2, ours, " [|][|][|] "); split($3, theirs, " [|][|][|] ")
    n = split(ours[1], t, " "); split(theirs[2], links, " ")
    for (i in links) {
      split(links[i], link, "-")
      if (link[1] >= m || link[2] >= n) continue
      ++all
      if (index(" " ours[2] " ", " " m - 1 - link[1] "-" n - 1 - link[2] " ")) ++found
    } }
  END { print found, all; exit !(all > 50 && found == all) }' >links || fail "other alignments than Marian's: $(<links)"

# It is written for Marian unchanged. Other toolkits do not support it, and Marian does not support a single reversed
# side.
nmt convert -m marian.safetensors --to marian -o back --quiet
score back >again
same scores again
for toolkit in huggingface ctranslate2; do
  refuses 1 "reads its source from right to left \(source_direction\), which cannot be written for $toolkit" \
    nmt convert -m marian.safetensors --to "$toolkit" -o no
done
make_text
make_vocabulary
few=(--preset transformer-tiny --d-model 32 --d-ff 64 --encoder-layers 1 --decoder-layers 1 --dropout 0.1 --warmup 10
  --batch-tokens 500 --save-every 0 --steps 8 --quiet)
one_side() { overriding nmt train "${few[@]}" --decoder-start zero --positions tensor2tensor --source train.src --target train.tgt \
  --vocab words.spm --steps 1 "$@"; }
one_side --source-direction right-to-left -o source
refuses 1 "its source right-to-left \(source_direction\) and its target left-to-right \(target_direction\), while Marian" \
  nmt convert -m source/last.safetensors --to marian -o no
one_side --target-direction right-to-left -o target
refuses 1 "its source left-to-right .* target right-to-left" nmt convert -m target/last.safetensors --to marian -o no
refuses 1 "reads its target from right to left" nmt convert -m target/last.safetensors --to ctranslate2 -o no

# Right-to-left training equals training on reversed text, bit for bit, with and without guided alignment: runs have the
# same losses, and models the same scores and translations.
reverse_words() { awk '{ for (i = NF; i > 0; --i) printf "%s%s", $i, (i > 1 ? " " : "\n") }' "$1"; }
paste -d '#' train.src train.tgt | awk -F '#' '
  { n = split($1, s, " "); m = split($2, t, " "); k = n < m ? n : m
    line = mirrored = ""
    for (i = 0; i < k; ++i) { line = line i "-" k - 1 - i " "; mirrored = mirrored n - 1 - i "-" m - k + i " " }
    print line >"train.align"; print mirrored >"reversed.align" }'
for side in src tgt; do
  for part in train test; do reverse_words $part.$side >reversed-$part.$side; done
done
pack() { nmt batch --source "$1train.src" --target "$1train.tgt" --vocab words.spm --quiet "${@:2}"; }
pack "" --alignment train.align -o text.nmtc
pack reversed- --alignment reversed.align -o reversed.nmtc
both=(--source-direction right-to-left --target-direction right-to-left)
for weight in 0 0.5; do
  nmt train "${few[@]}" "${both[@]}" --train text.nmtc --guided-alignment-weight $weight -o run-$weight
  nmt train "${few[@]}" --train reversed.nmtc --guided-alignment-weight $weight -o reversed-$weight
  equal "$(metrics run-$weight)" "$(metrics reversed-$weight)" "metrics"
done
nmt train "${few[@]}" "${both[@]}" --source train.src --target train.tgt --vocab words.spm -o raw
equal "$(metrics raw)" "$(metrics run-0)" "metrics of training on text that is not packed"
! cmp -s run-0/metrics.jsonl run-0.5/metrics.jsonl || fail "guided alignment changes nothing"
nmt translate -m run-0.5/last.safetensors --beam 2 --n-best 2 --quiet -i test.src >translations
nmt translate -m reversed-0.5/last.safetensors --beam 2 --n-best 2 --quiet -i reversed-test.src >of-reversed
reverse_fields() { awk -F ' [|][|][|] ' '{ n = split($2, w, " "); t = ""; for (i = n; i > 0; --i) t = t (t ? " " : "") w[i]
  print $1 "|" t "|" $NF }' "$1"; }
same <(awk -F ' [|][|][|] ' '{ print $1 "|" $2 "|" $NF }' translations) <(reverse_fields of-reversed)
nmt score -m run-0.5/last.safetensors --source test.src --target test.tgt --quiet >scores
nmt score -m reversed-0.5/last.safetensors --source reversed-test.src --target reversed-test.tgt --quiet >again
same scores again

# A recurrent model trained by Marian.
for candidate in ${NMT_PYTHON:-python3 /usr/bin/python3}; do
  if "$candidate" -c 'import _pymarian' 2>/dev/null; then python=$candidate; fi
done
if [[ ! ${python:-} ]]; then
  echo "SKIPPED: training with Marian: no Python here has pymarian (NMT_PYTHON names another one)"
  exit 0
fi
marian() { "$python" -c 'import sys, _pymarian; _pymarian.main(sys.argv[1:])' "$@" --cpu-threads 1; }
vocabularies=(source.yml target.yml)
marian train --type s2s --right-left --train-sets train.src train.tgt --vocabs "${vocabularies[@]}" --model model.npz \
  --dim-emb 24 --dim-rnn 32 --mini-batch 32 --after-batches 150 --learn-rate 0.01 --seed 1 --workspace 200 --quiet
marian score -m model.npz -v "${vocabularies[@]}" -t test.src test.tgt --quiet >expected
marian decode -m model.npz -v "${vocabularies[@]}" -i test.src -b 4 --normalize 0.6 --mini-batch 1 --quiet >expected.txt
open . s2s.safetensors
nmt score -m s2s.safetensors --source test.src --target test.tgt --quiet >scores
close scores expected 50
nmt translate -m s2s.safetensors -i test.src "${search[@]}" >translated
same translated expected.txt
