#!/usr/bin/env bash
# Log-probabilities of given translations.
. "$(dirname "$0")/../lib.sh"
make_model

score() { nmt score -m model.safetensors --quiet "$@"; }

score --source test.src --target test.tgt >sums
equal "$(wc -l <sums)" 50 "lines"
[[ $(grep -Ecv '^-[0-9]+\.[0-9]{6}$' sums) == 0 ]] || fail "scores look otherwise: $(head -n 1 sums)"

# A sum, then a number for each word and one for the end; they add up.
score --source test.src --target test.tgt --per-token >tokens
cut -f 1 tokens >first
same sums first
paste -d '\t' test.tgt tokens | awk -F '\t' '
  { words = split($1, word, " "); numbers = split($3, number, " "); sum = 0
    for (i = 1; i <= numbers; ++i) sum += number[i]
    if (numbers != words + 1 || sum - $2 > 1e-4 || $2 - sum > 1e-4) { print; exit 1 } }' ||
  fail "the numbers of a line do not add up"

# What the model has learned is likelier than what it has not.
tac test.tgt >wrong.tgt
right=$(awk '{ sum += $1 } END { print sum }' sums)
wrong=$(score --source test.src --target wrong.tgt | awk '{ sum += $1 } END { print sum }')
holds "$right > $wrong + 10"

# Neighbours, packing and an empty side do not matter.
tail -n 1 test.src >one.src && tail -n 1 test.tgt >one.tgt
equal "$(score --source one.src --target one.tgt)" "$(tail -n 1 sums)"
gzip -k test.src && xz -k test.tgt
equal "$(score --source test.src.gz --target test.tgt.xz)" "$(<sums)"
echo >empty
equal "$(score --source empty --target empty | wc -l)" 1

head -n 49 test.tgt >short.tgt
exits 1 score --source test.src --target short.tgt >scored 2>error
equal "$(<scored)" "$(head -n 49 sums)" "scores of what has a translation"
grep -q "^error: 'test.src' has 50 lines, but 'short.tgt' has 49" error || fail "got: $(<error)"
refuses 1 "missing" score --source test.src --target missing
refuses 1 "directory" score --source . --target test.tgt
refuses 2 "target is required" score --source test.src
