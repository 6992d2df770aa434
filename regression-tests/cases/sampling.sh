#!/usr/bin/env bash
# Random translations depend only on the seed and the line, and exclude options of the search.
. "$(dirname "$0")/../lib.sh"
make_model
draw() { nmt translate -m model.safetensors --sample --quiet "$@"; }

draw <test.src >drawn
for options in '--threads 1' '--threads 2' '--batch-tokens 40' '--threads 2 --batch-tokens 300' '--seed 1'; do
  # shellcheck disable=SC2086
  draw $options <test.src >again
  same again drawn
done
head -n 7 test.src | draw >some
head -n 7 drawn >expected
same some expected
draw --seed 2 <test.src >other
! cmp -s other drawn || fail "another seed draws the same"

# N samples of a line: the first ones do not depend on N, and their scores are those of nmt score.
draw --n-best 3 --temperature 2 <test.src >three
draw --n-best 5 --temperature 2 <test.src | awk -F ' [|][|][|] ' 'seen[$1]++ < 3' >five
same five three
draw --temperature 2 <test.src >first
awk -F ' [|][|][|] ' '!seen[$1]++ { print $2 }' three >expected
same first expected
equal "$(sort -u three | wc -l | awk '{ print ($1 > 100) }')" 1 "samples differ"
draw --temperature 0.7 <test.src >first
draw --scores --temperature 0.7 <test.src | cut -f 1 >scores
nmt score -m model.safetensors --source test.src --target first --length-penalty 0 --quiet >expected
paste scores expected | awk '{ d = $1 - $2; far += d > 1e-3 || d < -1e-3 } END { exit far > 5 }' ||
  fail "scores are not log-probabilities" # a text may be spelled by other pieces

# Without replacement, each translation occurs once, and the first is drawn like any sample.
draw --n-best 4 --without-replacement <test.src >four
equal "$(sort four | uniq -d | wc -l)" 0 "translations that come twice"
equal "$(wc -l <four)" "$((4 * $(wc -l <test.src)))" "translations"
draw --n-best 4 --without-replacement --threads 2 --batch-tokens 60 <test.src >again
same again four

# With a single token there is no choice.
nmt translate -m model.safetensors --beam 1 --quiet <test.src >greedy
draw --top-k 1 <test.src >best
same best greedy
draw --min-p 1 <test.src >best
same best greedy
draw --epsilon 1 <test.src >best
same best greedy

# By epsilon, no token is less probable than that.
improbable() { # the number of drawn tokens with a probability below 0.02
  draw --output-format jsonl "$@" <test.src | sed 's/.*"token_log_probabilities":\[\([^]]*\).*/\1/' |
    tr , '\n' | awk '$1 < -3.913 { ++n } END { print n + 0 }'
}
equal "$(improbable --epsilon 0.02)" 0 "improbable tokens"
test "$(improbable)" -gt 20 || fail "no improbable tokens without epsilon"

# Samples can be aligned, and contain only allowed tokens.
draw --alignment hard --n-best 2 <test.src | grep -c ' ||| 0-' >aligned || fail "no alignments"
draw --min-length 12 --no-repeat-ngram-size 1 --temperature 3 <test.src |
  awk '{ delete seen; for (i = 1; i <= NF; ++i) if (seen[$i]++) exit 1 }' || fail "a token comes twice"

refuses 2 "sample and .*beam exclude each other" draw --beam 4
refuses 2 "sample and .*length-penalty exclude each other" draw --length-penalty 1
refuses 2 "top-k.*needs.*--sample" nmt translate -m model.safetensors --top-k 3
refuses 2 "top-p" draw --top-p 1.5
refuses 2 "without-replacement and .*temperature exclude each other" draw --without-replacement --temperature 2
printf 'sample: true\ntemperature: 2\nn_best: 3\n' >sampling.yml
nmt translate -m model.safetensors --config sampling.yml --quiet <test.src >again
same again three
