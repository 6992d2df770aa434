#!/usr/bin/env bash
# The weights are those of the reference, rows sum to 1, and no text breaks a format.
. "$(dirname "$0")/../lib.sh"
make_model

look() { nmt attention -m model.safetensors --quiet "$@"; }
fields() { awk -F '\t' "NR > 1 { $1 }" "${@:2}"; }

look --source test.src --target test.tgt --lines 1-5 --format tsv >weights.tsv
equal "$(head -n 1 weights.tsv)" $'line\tkind\tlayer\thead\trow\trow_token\tcolumn\tcolumn_token\tweight' "columns"
awk -F '\t' 'NF != 9 { exit 1 }' weights.tsv || fail "a line has not nine columns"
equal "$(fields 'print $1, $2, $3' weights.tsv | uniq | tr '\n' ';')" "$(for line in 1 2 3 4 5; do
  for kind in encoder decoder cross; do printf '%s;' "$line $kind 1"; done
done)" "maps"

# Rows sum to 1, and positions that the decoder's mask hides have no weight.
awk -F '\t' 'NR > 1 { sum[$1, $2, $3, $4, $5] += $9 }
  END { for (row in sum) if (sum[row] < 0.9999 || sum[row] > 1.0001) exit 1 }' weights.tsv || fail "a row does not sum to 1"
fields 'if ($2 == "decoder" && $7 > $5 && $9 != "0.000000") exit 1' weights.tsv || fail "the mask lets something through"

# The reference backend gives the same weights.
look --source test.src --target test.tgt --lines 1-5 --format tsv --device reference >reference.tsv
paste weights.tsv reference.tsv | awk -F '\t' 'NR > 1 {
  for (i = 1; i < 9; ++i) if ($i != $(i + 9)) exit 1
  if ($9 - $18 > 0.001 || $18 - $9 > 0.001) exit 1 }' || fail "other weights on the reference backend"

# Without a target the model translates, like nmt translate.
head -n 3 test.src | nmt translate -m model.safetensors --quiet >translated
look --source test.src --lines 1-3 -o own.tsv
look --source <(head -n 3 test.src) --target translated -o forced.tsv
same own.tsv forced.tsv

# JSON with a pair per line, a single map, and a single line. The probabilities are those of nmt score.
look --source test.src --target test.tgt --lines 2-4 -o weights.json
equal "$(grep -c '^{"line":[234],"source":\[' weights.json)" 3 "pairs in the JSON"
nmt score -m model.safetensors --source test.src --target test.tgt --per-token --quiet | sed -n 2,4p | cut -f 2 >scores
grep -o '"log_probabilities":\[[^]]*' weights.json | sed 's/.*\[//' | awk -F , '
  { getline line <"scores"; if (split(line, score, " ") != NF) exit 1
    for (i = 1; i <= NF; ++i) if ($i - score[i] > 0.001 || score[i] - $i > 0.001) exit 1 }
  END { exit NR != 3 }' || fail "other probabilities than those of nmt score"
look --source test.src --target test.tgt --lines 2 --kind cross --layer 1 --head 3 --format tsv >one.tsv
grep -P '^2\tcross\t1\t3\t' weights.tsv >expected.tsv
same <(tail -n +2 one.tsv) expected.tsv

look --source test.src --target test.tgt --lines 1-5 -o packed.tsv.gz
same <(gzip -dc packed.tsv.gz) weights.tsv

# Text of every kind, including an empty line.
printf '%s\n' '</script><b>&amp;"' '' $'tab\tand \\ \x1b[31m \xe2\x80\xa8' \
  'the 漢字' $'\uFFFE and\uFFFF' >hostile
for format in json tsv html svg; do
  look --source hostile --target hostile --format $format >hostile.$format
done
awk -F '\t' 'NF != 9 { exit 1 }' hostile.tsv || fail "text broke the table"
equal "$(wc -l <hostile.json)" 7 "lines of the JSON"

grep -q '<b>\|</script><b>' hostile.html hostile.svg && fail "text became markup"
look --source hostile --target hostile --lines 3-5 -o hostile.svg
LC_ALL=C grep -q $'[\x01-\x08\x0b\x0c\x0e-\x1f]\|\xef\xbf[\xbe\xbf]' hostile.svg && fail "the SVG is not XML"
grep -q 'source: � and�<' hostile.svg || fail "no sentence in the SVG"

# A page has all pairs; a picture has the last layer over the source for the first pair. The file name decides the
# format.
look --source test.src --target test.tgt --lines 1-5 -o page.html
head -n 1 page.html | contains -i '^<!doctype html>' || fail "no page"
equal "$(grep -o '"line":' page.html | wc -l)" 5 "pairs in the page"
if grep -Eo '(src|href)="[^"]*"' page.html | grep -v '"data:'; then fail "the page loads something"; fi
grep -qF "<title>$(head -n 1 test.src) – Attention of model.safetensors</title>" page.html || fail "no title: $(grep '<title>' page.html)"
look --source test.src --target test.tgt -o map.svg
for text in 'Attention of model.safetensors' "source: $(head -n 1 test.src)" "target: $(head -n 1 test.tgt)" weight 0.5; do
  grep -qF ">$text<" map.svg || fail "no '$text' in the picture"
done
equal "$(grep -o '>line 1, cross, layer 1, head [0-9]*<' map.svg | wc -l)" \
  "$(look --source test.src --lines 1 --kind cross --format tsv | fields 'print $4' | sort -u | wc -l)" "heads in the picture"
look --source test.src --target test.tgt --lines 2 --kind encoder --head 2 -o map.svg
equal "$(grep -o '>line [0-9, a-z]*<' map.svg)" '>line 2, encoder, layer 1, head 2<' "maps in the picture"
if command -v rsvg-convert >/dev/null; then
  look --source test.src --target test.tgt -o map.png
  equal "$(head -c 4 map.png | tail -c 3)" PNG "a picture of pixels"
fi
refuses 1 "rsvg-convert.*not installed" env PATH=/nowhere "$NMT" attention -m model.safetensors --source test.src -o no.png -q

# By default twenty lines are shown, and a message says so.
nmt attention -m model.safetensors --source test.src --target test.tgt --head 1 --kind cross --format tsv \
  >many.tsv 2>many.err
equal "$(fields 'print $1' many.tsv | uniq | wc -l)" 20 "lines shown"
grep -q -- '--lines' many.err || fail "no message about the lines that are left out: $(<many.err)"

refuses 2 "lines: '3-2' is not a line or a range of lines" look --source test.src --lines 3-2
refuses 1 "test.src' has 50 lines; --lines 51-60 chooses none" look --source test.src --lines 51-60
refuses 1 "has 0 lines" look --source /dev/null
refuses 2 "layer 2: the model has 1 layer" look --source test.src --layer 2
refuses 2 "head 9: the model has .* heads" look --source test.src --head 9
refuses 2 "exclude each other" look --source test.src --target test.tgt --beam 2
refuses 2 "same file" look --source test.src -o model.safetensors
refuses 1 "train.tgt' has" look --source test.src --target train.tgt --lines 1-60 -o uneven.tsv
head -n 49 test.tgt >short.tgt
refuses 1 "'test.src' has 50 lines, but 'short.tgt' has 49" look --source test.src --target short.tgt --lines 3 -o uneven.tsv
[[ ! -e uneven.tsv ]] || fail "left half a file"
refuses 1 "missing" look --source missing

# A warning counts the invalid bytes of the lines that are shown, although the others are not read.
printf 'the \0 bab\nthe \377\nthe\n' >invalid.src
look --source invalid.src --lines 1-2 -o invalid.html 2>said
equal "$(<said)" "warning: invalid.src: 2 invalid UTF-8 bytes replaced" "words of attention"
