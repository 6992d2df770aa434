#!/usr/bin/env bash
# Pieces and phrases that translations must not contain.
. "$(dirname "$0")/../lib.sh"
make_model

translate() { nmt translate -m model.safetensors --quiet "$@" <test.src; }
translate >usual
grep -qw la usual || fail "nothing to forbid"

# Without one piece, the others still occur. Forbidding unknown pieces matters only where one occurs.
echo ▁la >pieces
for beam in 1 4; do
  translate --forbid pieces --beam $beam >without
  if grep -qw la without; then fail "a forbidden piece was put out"; fi
  equal "$(wc -l <without)" 50 "lines"
  if cmp -s without usual; then fail "nothing has changed"; fi
done
translate --forbid pieces --n-best 4 | cut -d '|' -f 4 >lists
if grep -qw la lists; then fail "a forbidden piece is in a list"; fi
translate -m model.safetensors --forbid pieces >ensemble
same ensemble without
translate --no-unk >known
same known usual
: >none
translate --forbid none >again
same again usual

# Sequences of pieces, and phrases with any segmentation.
phrase=$(cut -d ' ' -f 1-2 usual | sort | uniq -c | sort -rn | awk 'NR == 1 { print $2, $3 }')
sed 's/^/▁/; s/ / ▁/' <<<"$phrase" >row
echo "$phrase" >phrases
for options in '--beam 1' '--beam 4' '--beam 4 --n-best 4' '--sample' '--beam-rules ctranslate2'; do
  # shellcheck disable=SC2086
  translate --forbid row $options >without
  if grep -qw "$phrase" without; then fail "forbidden pieces follow on each other with $options"; fi
  # shellcheck disable=SC2086
  translate --avoid phrases $options >avoided
  same avoided without # of words that are pieces there is one division
done
translate --forbid row >without
grep -qw "${phrase% *}" without || fail "all of a phrase was forbidden"
translate --forbid pieces --avoid phrases >both
if grep -qw "la" both; then fail "a forbidden piece was put out"; fi

# A JSON line can have its own phrases, even if its sentences are translated one by one.
paste -d ' ' test.src test.src >twice
nmt translate -m model.safetensors --split sentences --avoid phrases --quiet <twice >avoided
sed 's/.*/{"text": "&", "avoid": ["'"$phrase"'"]}/' twice |
  nmt translate -m model.safetensors --split sentences --input-format jsonl --quiet >again
same again avoided
if grep -qw "$phrase" again; then fail "'$phrase' was not avoided"; fi

# Entries that are not pieces, and lists that leave nothing.
forbid() { nmt translate -m model.safetensors --forbid "$@" <test.src; }
printf '▁la\nla\n' >unknown
refuses 1 "'unknown', line 2: 'la' is not a piece of the target vocabulary" forbid unknown
echo '</s>' >end
refuses 1 "'end', line 1: '</s>' ends translations" forbid end
refuses 1 "missing" forbid missing
printf '▁la ▁none\n' >unknown
refuses 1 "'unknown', line 1: '▁none' is not a piece" forbid unknown
printf 'la\n \n' >blank
refuses 1 "'blank', line 2: .* no word" nmt translate -m model.safetensors --avoid blank </dev/null
cat train.src train.tgt | tr ' ' '\n' | sort -u | sed 's/^/▁/' >all
refuses 2 "leave no piece" forbid all --no-unk
grep -v '▁la$' all >most
translate --forbid most --no-unk >alone
[[ $(sed 's/\bla\b//g' alone | tr -d ' \n') == "" ]] || fail "something else than the only piece: $(head -n 1 alone)"
