#!/usr/bin/env bash
# Pieces that no translation holds.
. "$(dirname "$0")/../lib.sh"
make_model

translate() { nmt translate -m model.safetensors --quiet "$@" <test.src; }
translate >usual
grep -qw la usual || fail "nothing to forbid"

# Without one, everything else is still there; a lone unknown piece is not missed where there is none.
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

# What is no piece, and what leaves nothing.
forbid() { nmt translate -m model.safetensors --forbid "$@" <test.src; }
printf '▁la\nla\n' >unknown
refuses 1 "'unknown', line 2: 'la' is no piece of the target vocabulary" forbid unknown
echo '</s>' >end
refuses 1 "'end', line 1: '</s>' ends translations" forbid end
refuses 1 "missing" forbid missing
cat train.src train.tgt | tr ' ' '\n' | sort -u | sed 's/^/▁/' >all
refuses 2 "leave no piece" forbid all --no-unk
grep -v '▁la$' all >most
translate --forbid most --no-unk >alone
[[ $(sed 's/\bla\b//g' alone | tr -d ' \n') == "" ]] || fail "something else than the only piece: $(head -n 1 alone)"
