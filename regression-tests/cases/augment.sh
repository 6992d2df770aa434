#!/usr/bin/env bash
# Augmentation of training text: it depends on the seed, the pair and the pass alone, so that runs continue bit for bit
# and ranks agree; packed text is changed like raw text; invalid rates are refused.
. "$(dirname "$0")/../lib.sh"
make_text
nmt vocab -i train.src -i train.tgt -o words.spm --type word --size 59 --terms --quiet
awk '{ line = ""; for (i = 0; i < NF && i < 3; ++i) line = line " " i "-" i; print substr(line, 2) }' train.src >train.align
paste train.src train.tgt train.align >train.tsv
columns=(--vocab words.spm --tsv-columns "source,target,alignment")
rates=merge=0.1,strip-end=0.1,title=0.1,typo=0.1,tag=0.05,copy=0.05,terms=0.05,drop=0.05,mask=0.02,switch=0.02

run() { # DIRECTORY [OPTION...]
  overriding nmt train "${small[@]}" --steps 24 --save-every 6 --log-every 2 --quiet -o "$@"
}
plain=(--vocab words.spm --source train.src --target train.tgt)
noisy=("${columns[@]}" --tsv train.tsv --augment "$rates")
run whole "${noisy[@]}"
run plain "${plain[@]}"
if cmp -s whole/last.safetensors plain/last.safetensors; then fail "augmentation changes nothing"; fi
run zero "${plain[@]}" --augment upper=0
same zero/last.safetensors plain/last.safetensors

# From standard input, and from a file of settings.
run stream "${columns[@]}" --tsv - --augment "$rates" <train.tsv
same stream/last.safetensors whole/last.safetensors
{ echo augment: && sed 's/,/\n/g; s/=/: /g' <<<"$rates" | sed 's/^/  /'; } >noise.yml
run settings "${columns[@]}" --tsv train.tsv --config noise.yml
same settings/last.safetensors whole/last.safetensors
grep -q -- '^  - title=0.1$' settings/config.yml || fail "not in the configuration: $(<settings/config.yml)"

# Packed text is decoded and changed alike. Each pass has new noise, so that the losses of later passes differ, too.
nmt batch "${columns[@]}" --tsv train.tsv --max-ratio 9 --quiet -o train.nmtc
run packed --train train.nmtc --augment "$rates"
equal "$(metrics packed)" "$(metrics whole)" "metrics of training on packed text"

# A run that is killed continues bit for bit.
for _ in 1 2 3; do
  timeout --signal KILL "0.$((RANDOM % 9 + 1))" "$NMT" train "${small[@]}" --steps 24 --save-every 6 --log-every 2 --quiet \
    "${noisy[@]}" -o killed 2>/dev/null || true
done
run killed "${noisy[@]}"
same_run killed whole 2>/dev/null || {
  equal "$(metrics killed)" "$(metrics whole)" "metrics after kills"
  same killed/last.safetensors whole/last.safetensors
}

refuses 2 "unknown modifier 'uper', did you mean 'upper'" run x "${plain[@]}" --augment uper=0.1
refuses 2 "'upper=2': expected a rate from 0 to 1" run x "${plain[@]}" --augment upper=2
refuses 2 "upper, title, lower add up to more than 1" run x "${plain[@]}" --augment upper=0.6,title=0.6
refuses 2 "augment: placeholder, copy, tag and terms need word alignments; give --alignment, or a column" \
  run x "${plain[@]}" --augment tag=0.1
nmt batch "${plain[@]}" --quiet -o bare.nmtc
refuses 2 "augment: placeholder, copy, tag and terms need word alignments; give --alignment in nmt batch" \
  run x --train bare.nmtc --augment tag=0.1
nmt vocab -i train.src -i train.tgt -o bare.spm --type word --size 56 --quiet
refuses 2 "need the symbols __source__, __target__ and __done__, but the source vocabulary lacks __source__" \
  run x "${columns[@]}" --vocab bare.spm --tsv train.tsv --augment terms=0.1
refuses 2 "augment changes pairs, but a model of type lm learns from targets alone" \
  nmt train --type lm --vocab words.spm --target train.tgt --augment upper=0.1 --quiet -o x
refuses 2 "the run in 'whole' has augment merge=0.1 .*, not upper=0.3" run whole "${noisy[@]}" --augment upper=0.3
[[ ! -e x ]] || fail "a refused command left something"
