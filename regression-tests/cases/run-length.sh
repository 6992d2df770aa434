#!/usr/bin/env bash
# With only a small preset, a run fits the size of its text, ends by itself and gives a good model, whose average is
# chosen and checked.
. "$(dirname "$0")/../lib.sh"
make_text
make_vocabulary
model=(--preset transformer-tiny --d-model 64 --d-ff 128 --encoder-layers 1 --decoder-layers 1 --threads 1)
text=(--vocab words.spm --source train.src --target train.tgt)
valid=(--valid-source test.src --valid-target test.tgt)
setting() { sed -n "s/^$1: *//p" "${2:-run/config.yml}"; }
fits() { # CONFIG NAME=VALUE...
  local pair
  for pair in "${@:2}"; do equal "$(setting "${pair%=*}" "$1")" "${pair#*=}" "${pair%=*} in $1"; done
}

# A dry run shows the chosen settings; given settings are kept.
nmt train "${model[@]}" "${text[@]}" "${valid[@]}" --dry-run -o run --quiet >plan
fits plan steps=1060 warmup=270 batch_tokens=1000 r_drop=1 valid_every=53 save_every=53 best_by=chrf early_stopping=6
grep -q "^# settings that follow from the texts: --batch-tokens 1000, --steps 1060, --warmup 270" plan || fail "$(<plan)"
nmt train "${model[@]}" "${text[@]}" "${valid[@]}" --warmup 77 --save-every 20 --early-stopping 0 --dry-run -o run --quiet >plan
fits plan steps=1060 warmup=77 save_every=20 early_stopping=0 valid_every=53
nmt train "${model[@]}" "${text[@]}" "${valid[@]}" --steps 8000 --dry-run -o run --quiet >plan
fits plan steps=8000 warmup=1000 batch_tokens=3000 r_drop=0 valid_every=400 save_every=400 early_stopping=0 best_by=chrf
nmt train --preset transformer-base "${text[@]}" "${valid[@]}" --dry-run -o run --quiet >plan
fits plan steps=100000 warmup=4000 batch_tokens=25000 valid_every=1000 early_stopping=0
nmt train --preset student-tiny "${text[@]}" --dry-run -o run --quiet >plan
fits plan steps=100000 warmup=16000 save_every=1000

# Text of unknown length is sampled as it is read.
paste train.src train.tgt | nmt train "${model[@]}" --vocab words.spm --tsv - --dry-run -o run --quiet >plan
fits plan steps=1060 warmup=270 save_every=53
nmt batch --source train.src --target train.tgt --vocab words.spm -o train.nmtc --quiet
nmt train "${model[@]}" --train train.nmtc --dry-run -o run --quiet >plan
fits plan steps=1060 warmup=270 save_every=53

# The run ends, and its model is good.
nmt train "${model[@]}" "${text[@]}" "${valid[@]}" -o run 2>log
grep -q "^settings that follow from the texts: --batch-tokens 1000, --steps 1060, --warmup 270" log || fail "$(<log)"
grep -Eq "^planned: 1060 updates \([0-9.]+ passes over the text\) or 6 validations without a better one" log || fail "$(<log)"
grep -q "^best validation: chrf " log || fail "no best validation: $(<log)"
grep -q "^next: nmt average run && nmt translate -m run/average.safetensors" log || fail "next: $(<log)"
nmt average run 2>log
grep -Eq "^'run/average.safetensors': the (mean of steps|best checkpoint).* has chrf [0-9.]+ on '.*test.tgt'; " log ||
  fail "says nothing useful: $(<log)"
nmt translate -m run/average.safetensors --quiet <test.src >out
holds "$(nmt bleu test.tgt -b <out) > 80"

# A continued run keeps the chosen settings exactly and chooses nothing anew.
nmt train "${model[@]}" "${text[@]}" "${valid[@]}" --stop-after 70u -o parts --quiet
nmt train "${model[@]}" "${text[@]}" "${valid[@]}" --stop-after 0h -o parts --quiet 2>log
[[ ! -s log ]] || fail "warnings: $(<log)"
diff run/config.yml parts/config.yml
grep -v '"step":70,' parts/metrics.jsonl >rest && mv rest parts/metrics.jsonl # of the end in between
equal "$(metrics parts | grep '"valid"')" "$(metrics run | grep '"valid"')" "validations"
same parts/last.safetensors run/last.safetensors
same parts/best.safetensors run/best.safetensors
