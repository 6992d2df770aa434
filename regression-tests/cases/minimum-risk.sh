#!/usr/bin/env bash
# Minimum Bayes risk decoding among samples and n-best lists, and copied unknown words.
. "$(dirname "$0")/../lib.sh"
make_model
translate() { nmt translate -m model.safetensors --quiet "$@"; }
head -n 12 test.src >few

# Among samples, by the mean chrF with all of them as references, as computed by nmt bleu.
translate --sample --mbr chrf --candidates 6 --n-best 6 <few >ranked
translate --sample --mbr chrf --candidates 6 <few >best
awk -F ' [|][|][|] ' '!seen[$1]++ { print $2 }' ranked >expected
same best expected
translate --sample --n-best 6 <few | awk -F ' [|][|][|] ' '$1 == 3 { print $2 }' >samples
mapfile -t all <samples
for text in "${all[@]}"; do
  for reference in "${all[@]}"; do
    nmt bleu <(echo "$reference") --metrics chrf --score-only --width 6 --quiet <<<"$text"
  done | awk -v text="$text" '{ sum += $1 } END { printf "%.4f ||| %s\n", sum / NR, text }'
done | sort -u | sort -rn >expected
awk -F ' [|][|][|] ' '$1 == 3 { printf "%.4f ||| %s\n", $3, $2 }' ranked | sort -rn >found
same found expected
for options in '--threads 1' '--batch-tokens 60'; do
  # shellcheck disable=SC2086
  translate $options --sample --mbr chrf --candidates 6 --n-best 6 <few >again
  same again ranked
done

# With one candidate there is no choice. With a beam, all its translations are candidates.
translate --mbr bleu --candidates 1 <few >one
translate <few >expected
same one expected
translate --mbr bleu --beam 6 --n-best 6 <few >ranked
equal "$(cut -d ' ' -f 1 ranked | uniq -c | awk '{ print ($1 > 6) }' | sort -u)" 0 "candidates"
refuses 2 "candidates 8 needs a beam at least as wide" translate --mbr bleu --candidates 8 --beam 4
translate --mbr bleu --candidates 8 <few >ranked
translate --mbr bleu --beam 8 <few >expected
same ranked expected
refuses 2 "candidates is 3; ask for more" translate --mbr bleu --candidates 3 --n-best 4
refuses 2 "give --mbr" translate --candidates 3
refuses 2 "mbr" translate --mbr ter

# Oracle hypotheses: the entry of each n-best list with the highest sentence BLEU.
head -n 12 test.tgt >references
translate --oracle bleu --references references --beam 6 <few >best
translate --beam 6 --n-best 6 <few >list
for line in {0..11}; do
  sed -n "$((line + 1))p" references >reference
  awk -F ' [|][|][|] ' -v line="$line" '$1 == line { print $2 }' list | while IFS= read -r text; do
    nmt bleu reference --sentence-level --score-only --width 6 --quiet <<<"$text" | awk -v text="$text" '{ print $1 "\t" text }'
  done | sort -s -t $'\t' -k 1,1 -g -r | sed -n 1p | cut -f 2
done >expected
same best expected
translate --beam 6 <few >first
! cmp -s best first || fail "the choice changes nothing"
for shard in 1 2 3; do
  translate --oracle bleu --references references --beam 6 --shard "$shard/3" -i few
done >again
same again best
head -n 3 references >short
! translate --oracle bleu --references short -i few >/dev/null 2>error || fail "references are missing"
grep -q "'short' has fewer lines than 'few'" error || fail "$(<error)"
refuses 2 "give --references" translate --oracle bleu
refuses 2 "give --oracle" translate --references references
refuses 2 "mbr and --oracle exclude" translate --mbr bleu --oracle bleu --references references

# Unknown pieces of a translation are copied from the source.
sed 's/^the/☃/' few >strange
translate <strange >plain
translate --replace-unknown <strange >copied
! grep -q '⁇' copied || fail "unknown pieces are left: $(grep -m 1 '⁇' copied)"
paste plain copied | awk -F '\t' '!/⁇/ && $1 != $2 { exit 1 }' || fail "others have changed"
refuses 2 "replace-unknown and .*unk exclude each other" translate --replace-unknown --no-unk

# A line with a beam of its own has as many candidates as that is wide.
sed 's/.*/{"text": "&", "beam": 7}/' test.src >lines
nmt translate -m model.safetensors --quiet --mbr chrf --beam 7 --output-format jsonl -i test.src >expected
nmt translate -m model.safetensors --quiet --mbr chrf --input-format jsonl --output-format jsonl -i lines >own
same own expected
