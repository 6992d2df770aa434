#!/usr/bin/env bash
# A shortlist, made by the model that translates with it.
. "$(dirname "$0")/../lib.sh"
make_model

translate() { nmt translate -m model.safetensors --quiet "$@" <test.src; }
translate --beam 1 >usual
make_list() { nmt shortlist -m model.safetensors --source train.src --target train.tgt -o "$@"; }

# Of a small vocabulary, all that the text holds is among the candidates. Without those that are not, all others are more
# probable, which does not change the best of them.
make_list list
grep -qP '^\t' list || fail "nothing is allowed in every sentence"
translate --beam 1 --shortlist list >short
same short usual
make_list again --threads 1 --batch-tokens 100
same again list

# A line is translated as it would be alone, and fewer candidates say other things.
make_list tiny --best 1 --frequent 1
translate >before
translate --shortlist tiny >few
if cmp -s few before; then fail "a list of next to nothing changes nothing"; fi
while read -r line; do nmt translate -m model.safetensors --quiet --shortlist tiny <<<"$line"; done <test.src >alone
same alone few

# Mistakes.
refuses 1 "'missing'" translate --shortlist missing
grep -v -P '^\t' list >untabbed
refuses 1 "no line that begins with a tab" translate --shortlist untabbed
printf '\tno-such-piece\n' >foreign
refuses 1 "'foreign', line 1: 'no-such-piece' is no piece of the target" translate --shortlist foreign
refuses 2 "is the same file as" make_list train.src
: >empty
refuses 1 "no pair" nmt shortlist -m model.safetensors --source empty --target empty -o nothing
[[ ! -e nothing ]] || fail "an output of nothing"
