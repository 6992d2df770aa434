#!/usr/bin/env bash
# Corpora that are mixed by ratios: the composition of a pass, tags before sources, and runs that continue exactly.
. "$(dirname "$0")/../lib.sh"
make_text
nmt vocab -i train.src -i train.tgt -o words.spm --type word --size 57 --user-symbols '<BT>' --quiet
pack() { # LINES FILE [OPTION...]
  nmt batch --vocab words.spm --source <(sed -n "$1p" train.src) --target <(sed -n "$1p" train.tgt) -o "$2" --quiet "${@:3}"
}
pack 1,100 real.nmtc
pack 101,500 synthetic.nmtc --source-tag '<BT>'
pack 101,500 plain.nmtc

training=("$NMT" train "${small[@]}" --valid-source test.src --valid-target test.tgt --valid-every 8 --valid-beam 1
  --dropout 0.1 --save-every 7 --keep-last 1 --log-every 5 --quiet)
mixture=(--train real.nmtc:3 --train synthetic.nmtc:1)
run() { overriding "${training[@]}" "${mixture[@]}" --steps 24 -o "$@"; } # DIRECTORY [OPTION...]

# A pass has as many pairs as there are, in the given proportion, or all pairs once.
equal "$("${training[@]}" "${mixture[@]}" -o dry --dry-run | sed -n 's/^# batches: \(.*\); the first.*/\1/p')" \
  "500 pairs a pass: 375 of the 100 of 'real.nmtc', 125 of the 400 of 'synthetic.nmtc'"
equal "$("${training[@]}" --train real.nmtc --train synthetic.nmtc -o dry --dry-run | sed -n 's/^# batches: \(.*\); the first.*/\1/p')" \
  "500 pairs a pass: 100 of the 100 of 'real.nmtc', 400 of the 400 of 'synthetic.nmtc'"

# Repeating a run, or continuing it from any folder, gives the same bits.
run whole
grep -q '"epoch":[2-9]' whole/metrics.jsonl || fail "the run ends in its first pass"
run again && same_run again whole
run parts --steps 9
(mkdir -p elsewhere && cd elsewhere && "$NMT" train -o ../parts --steps 24 --quiet)
same parts/last.safetensors whole/last.safetensors
"${training[@]}" --train real.nmtc --train synthetic.nmtc --steps 24 -o by-size
if cmp -s whole/last.safetensors by-size/last.safetensors; then fail "ratios have no bearing"; fi

# Another mixture counts as another text.
refuses 1 "'whole' was trained on another text than .*, or on a mixture of other ratios" \
  "${training[@]}" --train real.nmtc:2 --train synthetic.nmtc:1 --steps 30 -o whole
refuses 1 "the ratio of 'real.nmtc' is too small to give it any of the 500 pairs" \
  "${training[@]}" --train real.nmtc:1 --train plain.nmtc:10000 --steps 1 -o x
refuses 2 "some corpora have a ratio and some have none" "${training[@]}" --train real.nmtc:1 --train plain.nmtc --steps 1 -o x
refuses 2 "ratio above 0" "${training[@]}" --train real.nmtc:0 --steps 1 -o x
nmt vocab -i train.tgt -o other.spm --type char --size 30 --quiet
nmt batch --vocab other.spm --source train.src --target train.tgt -o other.nmtc --quiet
refuses 2 "'other.nmtc' was packed with other vocabularies than 'real.nmtc'" \
  "${training[@]}" --train real.nmtc --train other.nmtc --steps 1 -o x
[[ ! -e x && ! -e x.nmtc ]] || fail "a refused command left something"
