#!/usr/bin/env bash
# A shortlist made by the model that uses it.
. "$(dirname "$0")/../lib.sh"
make_model

translate() { nmt translate -m model.safetensors --quiet "$@" <test.src; }
translate --beam 1 >usual
make_list() { nmt shortlist -m model.safetensors --source train.src --target train.tgt -o "$@"; }

# With a small vocabulary, the candidates include all pieces of the text. Excluding other pieces raises all
# probabilities but does not change the best translation.
make_list list
grep -qP '^\t' list || fail "nothing is allowed in every sentence"
translate --beam 1 --shortlist list >short
same short usual
make_list again --threads 1 --batch-tokens 100
same again list

# A line is translated as on its own, and a small list changes translations.
make_list tiny --best 1 --frequent 1
translate >before
translate --shortlist tiny >few
if cmp -s few before; then fail "a list of next to nothing changes nothing"; fi
while read -r line; do nmt translate -m model.safetensors --quiet --shortlist tiny <<<"$line"; done <test.src >alone
same alone few

# Other kinds of tied embeddings: rows can also be taken from a separate output layer, or together with a table's rows.
symbols=(--size 64 --user-symbols "$(echo more-{1..8} | tr ' ' ,)") # whole panels, which products may have in their own order
nmt vocab -i train.src -i train.tgt -o words.spm --type word "${symbols[@]}" --overwrite --quiet
for tying in target none; do
  train --overwrite --steps 60 --tied-embeddings "$tying"
  mv run/last.safetensors "$tying.safetensors"
done
translate_with() { # MODEL... -- OPTION...
  local models=()
  for model in "$@"; do [[ $model != -- ]] || break; models+=(-m "$model.safetensors"); done
  nmt translate "${models[@]}" --quiet --beam 1 "${@:${#models[@]} / 2 + 2}" <test.src
}
nmt shortlist -m none.safetensors --source train.src --target train.tgt -o untied-list
for models in target none "target none"; do
  for precision in f32 bf16 int8; do
    # shellcheck disable=SC2086
    translate_with $models -- --precision $precision >usual
    # shellcheck disable=SC2086
    translate_with $models -- --precision $precision --shortlist untied-list >short
    same short usual
  done
done

# Marian's format: target, source, probability. A table of all pieces of the list above gives the same list.
awk -F'\t' '$1 != "" { for (i = 2; i <= NF; ++i) print $i, $1, 1 / i }' list >table
echo 'NULL NULL 0.5' >>table
gzip -k table
nmt shortlist -m model.safetensors --from-marian table.gz --best 1000 --frequent 5 -o converted
grep -v -P '^\t' list >ours
grep -v -P '^\t' converted >theirs
same theirs ours
[[ $(grep -P '^\t' converted | tr '\t' '\n' | wc -l) == 6 ]] || fail "other pieces than the first 5: $(grep -P '^\t' converted)"
translate --shortlist converted >/dev/null
refuses 2 "exclude each other" nmt shortlist -m model.safetensors --from-marian table --source train.src -o nothing
refuses 2 "exclude each other" nmt shortlist -m model.safetensors --from-marian table --alignment-layer 1 -o nothing
refuses 1 "not a target piece, a source piece and a probability" \
  nmt shortlist -m model.safetensors --from-marian train.src -o nothing

# Invalid lists and options.
refuses 1 "'missing'" translate --shortlist missing
grep -v -P '^\t' list >untabbed
refuses 1 "no line that begins with a tab" translate --shortlist untabbed
printf '\tno-such-piece\n' >foreign
refuses 1 "'foreign', line 1: 'no-such-piece' is not a piece of the target" translate --shortlist foreign
refuses 2 "is the same file as" make_list train.src
: >empty
refuses 1 "no pair" nmt shortlist -m model.safetensors --source empty --target empty -o nothing
[[ ! -e nothing ]] || fail "an output of nothing"
