#!/usr/bin/env bash
# MetricX models judge translations as google-research/metricx does: a lower score is better.
. "$(dirname "$0")/../lib.sh"
tests=$(cd "$(dirname "$0")/../../tests" && pwd)
python3 "$tests/fixtures/metricx.py" --model metricx-24
ln -s metricx-24 metricx-23
ln -s metricx-24 metricx-23-qe
cp -r "$tests/data/metricx/mt5-xl" .

python3 - "$tests/data/metricx/answers.json" <<'PYTHON'
import json, sys
answers = json.load(open(sys.argv[1]))
for place, name in enumerate(("source", "hypothesis", "reference")):
    open(name, "w").writelines(part.replace("\n", " ") * times + "\n" for part, times in (a["texts"][place] for a in answers))
for kind in answers[0]:
    open(kind.replace(" ", "-") + ".answers", "w").writelines(f"{a[kind]}\n" for a in answers if kind != "texts")
PYTHON
judge=(nmt bleu -m metricx --source source -i hypothesis --quiet)
compare() { # SCORES ANSWERS
  paste "$1" "$2" | awk '{ d = $1 - $2; if (d > 2e-4 || d < -2e-4) { print NR, $0; bad = 1 } } END { exit bad }' ||
    fail "$2: not the scores of google-research/metricx"
}
sentences=(--sentence-level --score-only -w 7)
"${judge[@]}" reference --metricx metricx-24 "${sentences[@]}" >scores
compare scores metricx-24.answers
"${judge[@]}" --metricx metricx-24 "${sentences[@]}" >estimates
compare estimates metricx-24-without.answers
"${judge[@]}" --metricx metricx-23-qe "${sentences[@]}" | compare - metricx-23-qe.answers
nmt bleu reference -m metricx --metricx metricx-23 -i hypothesis --quiet "${sentences[@]}" | compare - metricx-23.answers

# A file has everything, in less space, and judges as the folder does.
for precision in f32 int8; do
  nmt convert metricx-24 --precision $precision -o $precision.safetensors --quiet
  "${judge[@]}" reference --metricx $precision.safetensors "${sentences[@]}" >converted
  same converted <("${judge[@]}" reference --metricx metricx-24 --precision $precision "${sentences[@]}")
done
nmt info f32.safetensors >info
grep -q 'kind *metricx-24' info || fail "nmt info: $(<info)"

# With other metrics, systems and tests. The report has the name, and a mean over the segments.
nmt bleu reference -m bleu,metricx --metricx f32.safetensors --source source -i hypothesis reference --paired-bs --trials 50 --quiet >table
grep -q MetricX table || fail "a table: $(<table)"
grep -q 'p =' table || fail "a table of systems: $(<table)"
whole=$("${judge[@]}" reference --metricx f32.safetensors -w 6 --score-only)
holds "$whole - $(awk '{ sum += $1 } END { printf "%.7f", sum / NR }' scores) < 1e-4"
nmt bleu --metricx f32.safetensors --source source -i hypothesis --quiet | contains '^MetricX|.*|model:f32.safetensors|' ||
  fail "an estimate without references"

# What is missing or does not fit is named.
refuses 2 'name it with --source' nmt bleu reference -m metricx --metricx metricx-24 -i hypothesis
refuses 2 'compares with a reference' nmt bleu --metricx metricx-23 -i hypothesis
refuses 2 'needs a model; name it with --metricx' nmt bleu reference -m metricx -i hypothesis
refuses 2 'is a MetricX model, which does not compute the metric comet' nmt bleu reference --comet metricx-24 --source source -i hypothesis
refuses 2 'is the tokenizer of one model' nmt bleu reference --comet a --metricx b --vocab mt5-xl --source source -i hypothesis
refuses 1 'use it with nmt bleu --metricx' nmt translate -m f32.safetensors -i source
mv mt5-xl tokens
refuses 1 'the tokenizer of mT5 is missing' nmt bleu reference --metricx metricx-24 --source source -i hypothesis
"${judge[@]}" reference --metricx metricx-24 --vocab tokens "${sentences[@]}" >named
same named scores
mv tokens mt5-xl

# Candidates and pairs of training are chosen by quality, which falls as the score rises.
make_model
head -n 3 test.src >few
nmt translate -m model.safetensors -i few --n-best 6 --beam 6 --distinct --quiet >candidates
nmt translate -m model.safetensors -i few --rerank-by f32.safetensors --candidates 6 --beam 6 --quiet >chosen
for line in 0 1 2; do
  awk -F ' \\|\\|\\| ' -v line=$line '$1 == line { print $2 }' candidates >texts
  for _ in $(seq "$(wc -l <texts)"); do sed -n $((line + 1))p few; done >sources
  nmt bleu --metricx f32.safetensors --source sources -i texts "${sentences[@]}" --quiet |
    paste - texts | sort -s -t "$(printf '\t')" -k 1,1g | head -n 1 | cut -f 2
done >best
equal "$(<chosen)" "$(<best)" "translations reranked by quality"
nmt bleu --metricx f32.safetensors --source test.src -i test.tgt "${sentences[@]}" --quiet >errors
most=$(sort -n errors | sed -n 8p)
nmt batch --source test.src --target test.tgt --vocab words.spm --quality-model f32.safetensors \
  --min-quality "$(awk -v most="$most" 'BEGIN { printf "%.9f", 1 - (most + 1e-5) / 25 }')" -o good.nmtc 2>packed
equal "$(nmt info good.nmtc --json | python3 -c 'import json, sys; print(json.load(sys.stdin)["pairs"])')" \
  "$(awk -v most="$most" '$1 <= most + 1e-5' errors | wc -l)" "pairs of sufficient quality"
refuses 1 'needs references' nmt translate -m model.safetensors -i few --rerank-by metricx-23

# Minimum Bayes risk: the mean quality with all candidates as references, here without their weights.
mbr=(nmt translate -m model.safetensors --mbr metricx --metricx f32.safetensors --quiet)
"${mbr[@]}" -i few --sample --without-replacement --candidates 3 --n-best 3 --max-length-factor 1 >ranked
equal "$(wc -l <ranked)" 9 "candidates"
for line in 0 1 2; do
  awk -F ' \\|\\|\\| ' -v line=$line '$1 == line { print $2 }' ranked >texts
  for n in 1 2 3; do
    for _ in 1 2 3; do sed -n $n\p texts; done >same
    for _ in 1 2 3; do sed -n $((line + 1))p few; done >sources
    nmt bleu texts -m metricx --metricx f32.safetensors --source sources -i same -w 6 --score-only --quiet
  done
done | awk '{ printf "%.6f\n", 1 - $1 / 25 }' >means
awk -F ' \\|\\|\\| ' '{ print $NF }' ranked | paste - means |
  awk '{ d = $1 - $2; if (d > 2e-6 || d < -2e-6) exit 1 }' || fail "other means: $(paste ranked means)"
sed 's/.*/{"text": "&", "mbr": "metricx"}/' few >lines
"${mbr[@]}" --input-format jsonl -i lines --beam 3 --candidates 3 >by_line
"${mbr[@]}" -i few --beam 3 --candidates 3 | same - by_line
sed -i 's/metricx/comet/' lines
refuses 1 "'mbr': comet needs a model" "${mbr[@]}" --input-format jsonl -i lines
refuses 2 'does not compute the metric comet' nmt translate -m model.safetensors -i few --mbr comet --comet f32.safetensors
refuses 2 'needs a model; name it with --metricx' nmt translate -m model.safetensors -i few --mbr metricx
refuses 2 "--metricx is not for --mbr comet" overriding "${mbr[@]}" -i few --mbr comet --comet f32.safetensors

# The oracle has the fewest errors.
head -n 3 test.tgt >references
nmt translate -m model.safetensors -i few --oracle metricx --references references --metricx f32.safetensors --candidates 6 --beam 6 \
  --scores --quiet >oracle
nmt bleu references -m metricx --metricx f32.safetensors --source few -i <(cut -f 2 oracle) "${sentences[@]}" --quiet |
  paste - oracle | awk '{ d = 1 - $1 / 25 - $2; if (d > 2e-6 || d < -2e-6) exit 1 }' || fail "the oracle has other scores"

# A validation counts errors, and the best model has the fewest.
train --valid-source test.src --valid-target test.tgt --steps 30 --valid-every 10 --valid-beam 2 --save-every 10 --overwrite \
  --valid-metrics metricx --best-by metricx --valid-metricx f32.safetensors
sed -n 's/.*"event":"valid","step":\([0-9]*\).*"metricx":\([^,}]*\).*/\2 \1/p' run/metrics.jsonl | sort -s -k 1,1g >validations
equal "$(wc -l <validations)" 3 "validations"
read -r least step <validations
same run/best.safetensors "$(printf 'run/step-%08d.safetensors' "$step")"
nmt translate -m run/best.safetensors -i test.src --beam 2 --quiet >translated
nmt bleu test.tgt -m metricx --metricx f32.safetensors --source test.src -i translated -w 6 --score-only --quiet >judged
holds "$least - $(<judged) < 1e-6 && $(<judged) - $least < 1e-6"
refuses 2 'needs a model; name it with --valid-metricx' train --valid-source test.src --valid-target test.tgt --best-by metricx \
  --overwrite
