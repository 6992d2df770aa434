#!/usr/bin/env bash
# A model in another precision: a smaller file that translates similarly, names its precision, and works like any model.
. "$(dirname "$0")/../lib.sh"
make_model
size() { stat -c %s "$1"; }
translated() { nmt translate -m "$1" --quiet "${@:2}" <test.src; }
alike() { # FILE FILE LINES: at least LINES lines are the same
  local lines
  lines=$(paste -d '|' "$1" "$2" | awk -F '|' '$1 == $2' | wc -l)
  holds "$lines >= $3" || fail "$1 and $2 have only $lines lines in common"
}

translated model.safetensors >f32.out
for precision in int8 bf16 f16 f32; do
  nmt convert -m model.safetensors --precision $precision -o $precision.safetensors 2>log
  grep -q "wrote '$precision.safetensors' in $precision (from the model 'model.safetensors')" log || fail "says nothing useful: $(<log)"
  nmt info $precision.safetensors --json >facts
  grep -q '"checksum": "matches"' facts || fail "$precision has no checksum"
  translated $precision.safetensors >$precision.out
  alike f32.out $precision.out 45
done
same f32.safetensors model.safetensors
holds "$(size int8.safetensors) < 0.6 * $(size model.safetensors)" # of a tiny model much is vocabulary and vectors
holds "$(size bf16.safetensors) < 0.75 * $(size model.safetensors)"
grep -q '"bf16"' <(nmt info bf16.safetensors --json) || fail "nmt info does not tell the precision"
grep -q '"int8"' <(nmt info int8.safetensors --json) || fail "nmt info does not tell the precision"
nmt convert -m run --precision int8 -o of_run.safetensors --quiet
same of_run.safetensors int8.safetensors

# The CPU computes in int8 if all models are stored in it, or if --precision says so.
nmt translate -m int8.safetensors --verbose <test.src 2>log >/dev/null
grep -Eq '^computing on cpu, .*, int8, ' log || fail "does not compute in int8: $(<log)"
nmt translate -m int8.safetensors -m bf16.safetensors --verbose <test.src 2>log >/dev/null
grep -Eq '^computing on cpu, .*, int8, ' log && fail "computes in int8 what is bf16: $(<log)"
nmt score -m int8.safetensors --source test.src --target test.tgt >int8.scores
nmt score -m model.safetensors --source test.src --target test.tgt --precision int8 >f32.scores
same int8.scores f32.scores
nmt score -m model.safetensors --source test.src --target test.tgt --precision f32 >f32.scores
cmp -s int8.scores f32.scores && fail "precision changes nothing"
paste f32.scores int8.scores | awk '{ d = ($1 - $2) / $1; if (d > 0.1 || d < -0.1) { print; exit 1 } }' ||
  fail "scores differ by more than rounding"
refuses 2 "precision" "$NMT" train "${small[@]}" --vocab words.spm --source train.src --target train.tgt --precision int8 \
  -o other

# Rounding is final: converting again gives the same bits, and converting back gives the numbers that the integers stand
# for.
nmt convert -m int8.safetensors --precision int8 -o again.safetensors --quiet
same again.safetensors int8.safetensors
nmt convert -m int8.safetensors --precision f32 -o wide.safetensors --quiet
equal "$(size wide.safetensors)" "$(size model.safetensors)" "bytes of what was int8"
for model in int8 wide; do
  nmt score -m $model.safetensors --source test.src --target test.tgt --precision f32 >$model.scores
done
same int8.scores wide.scores

nmt convert int8.safetensors --to nmt -o named.safetensors --quiet
same int8.safetensors named.safetensors

# Averaging and training use these numbers, in f32.
nmt average int8.safetensors int8.safetensors -o mean.safetensors --quiet
nmt score -m mean.safetensors --source test.src --target test.tgt --precision f32 >mean.scores
same mean.scores int8.scores
nmt train --from-weights int8.safetensors --source train.src --target train.tgt --batch-tokens 500 --steps 1 --quiet \
  -o further
equal "$(nmt info further/last.safetensors | sed -n 's/^precision  *//p')" f32 "precision of a training from int8"

# Impossible conversions are refused, and nothing is written.
nmt convert model.safetensors -o new.safetensors --quiet # as it is
same new.safetensors model.safetensors
rm new.safetensors
refuses 2 "tf32" nmt convert -m model.safetensors --precision tf32 -o new.safetensors
refuses 2 "model" nmt convert --precision int8 -o new.safetensors
refuses 2 "output" nmt convert -m model.safetensors --precision int8
refuses 2 "add --to" nmt convert -m model.safetensors -o new.npz
refuses 2 "same file as 'model.safetensors'" nmt convert -m model.safetensors --precision int8 -o model.safetensors
head -c 5000 int8.safetensors >cut.safetensors
refuses 1 "cut\.safetensors' is damaged" nmt convert -m cut.safetensors --precision f32 -o new.safetensors
refuses 1 "missing" nmt convert -m missing --precision int8 -o new.safetensors
refuses 1 "does not support .*positions sinusoidal.*; .* such as a Transformer with --positions tensor2tensor" \
  nmt convert -m model.safetensors --to marian -o no
refuses 1 "Hugging Face transformers, for which nmt does not support .*; .* such as a Transformer with --norm post" \
  nmt convert -m model.safetensors --to huggingface -o no
train --steps 1 --norm post -o post
nmt convert -m post/last.safetensors --to huggingface -o for-huggingface --quiet
train --steps 1 --positions tensor2tensor --decoder-start zero -o marians
nmt convert -m marians/last.safetensors --to marian -o for-marian --quiet
refuses 1 "cannot write '/dev/full'" nmt convert -m model.safetensors --precision int8 -o /dev/full
[[ ! -e new.safetensors ]] || fail "a refused command wrote its output"
