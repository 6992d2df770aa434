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
refuses 2 'is a MetricX model, but a COMET model is needed' nmt bleu reference --comet metricx-24 --source source -i hypothesis
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
refuses 2 'is a MetricX model, but a COMET model is needed' nmt translate -m model.safetensors -i few --mbr comet --comet f32.safetensors
