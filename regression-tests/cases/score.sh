#!/usr/bin/env bash
# Log-probabilities of given translations.
. "$(dirname "$0")/../lib.sh"
make_model

score() { nmt score -m model.safetensors --quiet "$@"; }

score --source test.src --target test.tgt >sums
equal "$(wc -l <sums)" 50 "lines"
[[ $(grep -Ecv '^-[0-9]+\.[0-9]{6}$' sums) == 0 ]] || fail "scores look otherwise: $(head -n 1 sums)"

# The sum, then a number for each word and for EOS, which add up to it.
score --source test.src --target test.tgt --per-token >tokens
cut -f 1 tokens >first
same sums first
paste -d '\t' test.tgt tokens | awk -F '\t' '
  { words = split($1, word, " "); numbers = split($3, number, " "); sum = 0
    for (i = 1; i <= numbers; ++i) sum += number[i]
    if (numbers != words + 1 || sum - $2 > 1e-4 || $2 - sum > 1e-4) { print; exit 1 } }' ||
  fail "the numbers of a line do not add up"

# Text that the model has learned is more probable than other text.
tac test.tgt >wrong.tgt
right=$(awk '{ sum += $1 } END { print sum }' sums)
wrong=$(score --source test.src --target wrong.tgt | awk '{ sum += $1 } END { print sum }')
holds "$right > $wrong + 10"

# Neighboring lines, compression and an empty side do not affect scores.
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
refuses 2 "target are needed together" score --source test.src
refuses 2 "target and --n-best exclude each other" score --source test.src --target test.tgt --n-best list
refuses 2 "n-best needs --source" score --n-best list
refuses 2 "weights: .* got '1,2'; give each value by itself: --weights 1 --weights 2" score --weights 1,2

# Figures for the whole text.
tokens=$(wc -w <test.tgt | awk '{ print $1 + 50 }')
score --source test.src --target test.tgt --summary all >summary
equal "$(cut -f 1 summary | tr '\n' ' ')" "tokens cross-entropy perplexity " "names of figures"
equal "$(score --source test.src --target test.tgt --summary tokens)" "$tokens" "tokens"
paste -s summary | awk -v right="$right" -v tokens="$tokens" '
  { d = $4 + right / tokens; e = $6 / exp($4) - 1; exit !($2 == tokens && d * d < 1e-10 && e * e < 1e-10) }' ||
  fail "the figures are $(<summary)"

# N-best lists, for one model and for two, have the scores of the search. A translation that was truncated at the limit
# has no EOS, but EOS is scored.
train --encoder-layers 2 --seed 2 --steps 100 -o second
for models in "-m model.safetensors" "-m model.safetensors -m second/last.safetensors"; do
  # shellcheck disable=SC2086
  nmt translate $models --n-best 3 --quiet -i test.src.gz >list
  for way in "" "--batch-tokens 1" "--threads 1" "--threads 3"; do
    # shellcheck disable=SC2086
    nmt score $models --source test.src --n-best list --length-penalty 0.6 $way --quiet >"rescored$way"
    same rescored "rescored$way"
  done
  awk -F ' [|][|][|] ' '{
    d = split($2, words, " ") < 50 ? substr($3, 8) - $4 : 0
    if ($3 !~ /^Score= -[0-9.]+$/ || d * d > 1e-8) { print; exit 1 } }' rescored ||
    fail "another score than the search's"
  cut -d ' ' -f 1-3 list | cmp - <(cut -d ' ' -f 1-3 rescored) || fail "another order"
done
nmt score -m second --source test.src --n-best rescored --feature Second --quiet | sed -n 1p |
  grep -Eq '^0 \|\|\| .* \|\|\| Score= -[0-9.]+ Second= -[0-9.]+ \|\|\| -[0-9.]+$' || fail "no second feature"
# Scoring again replaces the feature of the same name.
nmt score -m model.safetensors -m second/last.safetensors --source test.src --n-best rescored --length-penalty 0.6 --quiet >again
same again rescored
nmt score -m second --source test.src --n-best rescored --quiet >again
equal "$(grep -o 'Score=' again | wc -l) $(cut -d ' ' -f 1-3 again | cksum)" \
  "$(wc -l <rescored) $(cut -d ' ' -f 1-3 rescored | cksum)" "features of a list that is scored again"
echo '0 ||| la ||| Score= 1 Score= 2' >double
refuses 1 "'double', line 1: two features are called Score; rename one of them in the list, or set --feature to another name" \
  score --source test.src --n-best double
sort -rn list >backwards
exits 1 score --source test.src --n-best backwards >scored 2>error
equal "$(wc -l <scored)" 3 "entries before the fault"
grep -q "^error: 'backwards', line 4: index 48 after 49; sort" error || fail "got: $(<error)"
echo "hello" >list
refuses 1 "list', line 1: no bars; an entry is: index \|\|\| text" score --source test.src --n-best list

# Alignments are those of nmt translate, and scores stay the same.
nmt translate -m model.safetensors --alignment 0.3 --quiet <test.src >aligned
sed 's/ ||| .*//' aligned >translated
score --source test.src --target translated --alignment 0.3 >scored
same <(sed 's/.* ||| //' scored) <(sed 's/.* ||| //' aligned)
same <(sed 's/ ||| .*//' scored) <(score --source test.src --target translated)
score --source test.src --target translated --alignment 0.3 --batch-tokens 1 >alone
same alone scored
score --source test.src --target translated --alignment hard --per-token | sed -n 1p |
  grep -Eq $'^-[0-9.]+\t-[-0-9. ]+ \\|\\|\\| [0-9]+-[0-9]+( [0-9]+-[0-9]+)*$' || fail "tokens and alignment look otherwise"
printf '%s\n' '' $'\xe2\x80\x8b' >nothing
equal "$(score --source nothing --target nothing --alignment soft | sed 's/.* ||| //' | sort | xargs)" "0,0 0,1 1" "weights of nothing"
equal "$(score --source nothing --target <(head -n 2 test.tgt) --alignment hard | sed 's/.* |||//' | sort -u)" " " "links"
refuses 2 "exclude each other" score --source test.src --target translated --alignment hard --summary all
