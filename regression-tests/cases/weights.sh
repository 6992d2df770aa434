#!/usr/bin/env bash
# Weights of pairs and words: they are packed with the text, a pair of weight 0 teaches nothing, runs continue exactly,
# and invalid weights are refused.
. "$(dirname "$0")/../lib.sh"
make_text
make_vocabulary

pack() { nmt batch --vocab words.spm --source train.src --target train.tgt --quiet -o "$@"; } # FILE [OPTION...]
every() { sed "s/.*/$1/" train.tgt; }                                                         # WEIGHT
pack plain.nmtc
every 1 >ones.weights
pack ones.nmtc --weights ones.weights
awk '{ for (i = 1; i <= NF; ++i) printf "%s ", i % 2; print "" }' train.tgt >words.weights
pack words.nmtc --weights words.weights
sed 's/$/ 0/' words.weights >ends.weights
pack ends.nmtc --weights ends.weights
nmt batch words.nmtc >report
grep -q '^weights: of each pair$' report || fail "no message about the weights: $(<report)"
nmt info --json words.nmtc | contains '"weights": true' || fail "no message about the weights: $(nmt info --json words.nmtc)"
if nmt batch plain.nmtc | grep weights; then fail "weights where there are none"; fi
equal "$(od -An -tu1 -j 8 -N 1 words.nmtc | xargs)" 4 "version"

run() { # DIRECTORY CORPUS [OPTION...]
  overriding nmt train "${small[@]}" --train "$2" --steps 20 --save-every 10 --quiet -o "$1" "${@:3}"
}

# Weights of 1 change no bit; others change what is learned, and EOS has its own weight.
run plain plain.nmtc
run ones ones.nmtc
same plain/last.safetensors ones/last.safetensors
run words words.nmtc
run ends ends.nmtc
if cmp -s words/last.safetensors ones/last.safetensors; then fail "weights of words change nothing"; fi
if cmp -s words/last.safetensors ends/last.safetensors; then fail "the weight of the end changes nothing"; fi

# A run continues exactly.
run again words.nmtc --steps 10
run again words.nmtc
same again/last.safetensors words/last.safetensors

# Wrong lines with weight 0 teach nothing.
tac train.tgt >wrong.tgt
{ cat train.src train.src; } >both.src
{ cat train.tgt wrong.tgt; } >both.tgt
{ every 1; every 0; } >both.weights
nmt batch --vocab words.spm --source both.src --target both.tgt --weights both.weights --max-ratio 0 --quiet -o half.nmtc
nmt batch --vocab words.spm --source both.src --target both.tgt --max-ratio 0 --quiet -o wrong.nmtc
perplexity() { nmt score -m "$1" --source test.src --target test.tgt --summary perplexity --quiet; } # DIRECTORY
run half half.nmtc --steps 150
run wrong wrong.nmtc --steps 150
holds "$(perplexity half) * 1.2 < $(perplexity wrong)"

refuses 1 "500 lines.* 499; weights need one line per pair" pack x.nmtc --weights <(head -n 499 ones.weights)
refuses 1 "line 3: 2 weights, but the target has" pack x.nmtc --weights <(sed '3s/.*/1 2/' ones.weights)
refuses 1 "line 2: '-1' is not a weight" pack x.nmtc --weights <(sed '2s/.*/-1/' ones.weights)
refuses 1 "missing" pack x.nmtc --weights missing
refuses 2 "standard input can be one text only, but --tsv and --weights" nmt batch --vocab words.spm --tsv - --weights - -o x.nmtc
[[ ! -e x.nmtc ]] || fail "a refused command left something"
