#!/usr/bin/env bash
# Training, scoring and translating in bf16. The precision is part of a run, which continues exactly; models work in
# either precision, with similar scores.
. "$(dirname "$0")/../lib.sh"
make_text
make_vocabulary
training=("$NMT" train "${small[@]}" --vocab words.spm --source train.src --target train.tgt --dropout 0.1 --ema 0.9
  --precision bf16 --log-every 10 --save-every 20 --quiet)

"${training[@]}" --steps 40 -o whole
grep -qx 'precision: bf16' whole/config.yml || fail "the run does not tell its precision"
"${training[@]}" --steps 20 -o parts
nmt train -o parts --steps 40 --quiet
cmp whole/last.safetensors parts/last.safetensors || fail "a run that continues gives other weights"
for threads in 1 3; do # the file itself tells how many there were
  "${training[@]}" --steps 40 --threads $threads -o threads$threads
  nmt score -m threads$threads/last.safetensors --source test.src --target test.tgt --precision bf16 \
    --threads $threads >threads$threads.scores
done
cmp threads1.scores threads3.scores || fail "the number of threads changes results"
nmt info whole/last.safetensors --json | contains '"f32"' || fail "the model is not in f32"

"$NMT" train "${small[@]}" --vocab words.spm --source train.src --target train.tgt --steps 1 --quiet -o plain
grep -qx 'precision: f32' plain/config.yml || fail "auto is not resolved into the configuration"

for precision in f32 bf16; do
  nmt score -m whole/last.safetensors --source test.src --target test.tgt --precision $precision >$precision.scores
done
cmp -s f32.scores bf16.scores && fail "precision changes nothing"
paste f32.scores bf16.scores | awk '{ d = ($1 - $2) / $1; if (d > 0.05 || d < -0.05) { print; exit 1 } }' ||
  fail "scores differ by more than rounding"
nmt translate -m whole/last.safetensors --precision bf16 <test.src >bf16.out
equal "$(wc -l <bf16.out)" "$(wc -l <test.src)" "lines translated in bf16"

refuses 2 "precision" nmt score -m whole/last.safetensors --source test.src --target test.tgt --precision f16
refuses 2 "only in f64" nmt score -m whole/last.safetensors --source test.src --target test.tgt --device reference \
  --precision bf16
refuses 2 "amx" nmt score -m whole/last.safetensors --source test.src --target test.tgt --cpu-isa amx
