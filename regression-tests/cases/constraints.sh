#!/usr/bin/env bash
# Required words and phrases, lists of different translations, early ends, and coverage.
. "$(dirname "$0")/../lib.sh"
make_model
translate() { nmt translate -m model.safetensors --quiet "$@" <test.src; }

# Each line requires words of its reference and of another sentence. They occur as whole words with any search.
awk 'NR % 4 == 0 { print ""; next }
  { print $(NF - 1) "\t" (NR % 2 ? $1 " " $2 : "sobo apud|kino apud") (NR % 3 ? "" : "\tapud") }' test.tgt >constraints
met() { # TRANSLATIONS
  paste -d '\n' constraints "$1" | awk -F '\t' '
    NR % 2 { split("", wanted); for (i = 1; i <= NF; ++i) wanted[i] = $i; next }
    { for (i in wanted) {
        met = 0
        n = split(wanted[i], any, "|")
        for (j = 1; j <= n; ++j) met += index(" " $0 " ", " " any[j] " ") > 0
        if (!met) { print "line " NR / 2 ": no " wanted[i] " in: " $0; bad = 1 }
      } }
    END { exit bad }' || fail "constraints are not met: $1"
}
translate >usual
if (met usual) >/dev/null 2>&1; then fail "nothing to ask for"; fi
for options in '--beam 1' '--beam 5' '--beam 5 --precision int8' '--beam 5 -m model.safetensors' \
  '--beam 4 --min-length 9 --avoid avoid'; do
  echo zeko >avoid
  # shellcheck disable=SC2086
  translate --constraints constraints $options >constrained
  met constrained
done
translate --constraints constraints --beam 5 >constrained
translate --constraints constraints --beam 5 --batch-tokens 60 --threads 2 >again
same again constrained
awk 'NR % 4 == 0' constrained >free
translate --beam 5 | awk 'NR % 4 == 0' >expected
same free expected # of lines without any
translate --constraints constraints --beam 5 --n-best 3 --alignment hard | awk -F ' [|][|][|] ' '!seen[$1]++ { print $2 }' >first
same first constrained
nmt shortlist -m model.safetensors --source train.src --target train.tgt -o list --quiet
translate --constraints constraints --beam 5 --shortlist list >constrained
met constrained
cut -d ' ' -f 1 test.tgt >prefix
translate --constraints constraints --beam 5 --prefix prefix >constrained
met constrained
cut -d ' ' -f 1 constrained >again
same again prefix

# A warning reports constraints that cannot be met.
nmt translate -m model.safetensors --constraints constraints --max-length-factor 0 --max-length-extra 1 \
  <test.src 2>log >short
grep -q 'warning: .* translations do not meet all constraints, the first in line 1;' log ||
  fail "no warning: $(<log)"
constrain() { nmt translate -m model.safetensors --constraints "$@" <test.src; }
head -n 3 constraints >few
exits 1 constrain few 2>log >/dev/null
grep -q "^error: 'few' has fewer lines" log || fail "no error: $(<log)"
sed '2s/$/\t語/' constraints >foreign
constrain foreign --beam 5 2>log >constrained
met constrained
grep -q 'warning: 1 translation does not meet all constraints, the first in line 2' log || fail "no warning: $(<log)"
refuses 2 "sample and .*constraints exclude" constrain constraints --sample
refuses 2 "constraints need the beam rules of nmt, but --beam-rules is marian" constrain constraints --beam-rules marian
refuses 2 "beam-groups and --constraints exclude" constrain constraints --beam-groups 2
refuses 2 "split and .*constraints exclude" constrain constraints --split sentences

# Groups find different translations, and no two of a list have the same text.
translate --n-best 4 --beam 4 | cut -d '|' -f 1-4 >list
translate --n-best 4 --beam 4 --beam-groups 4 --diversity 3 | cut -d '|' -f 1-4 >diverse
words() { cut -d '|' -f 4 "$1" | paste -d ' ' - - - - | tr -s ' ' | awk '
  { split("", seen); for (i = 1; i <= NF; ++i) n += !seen[$i]++ } END { print n }'; }
holds "$(words diverse) > $(words list)"
translate --n-best 4 --distinct --no-unk >different
equal "$(cut -d '|' -f 1-4 different | sort -u | wc -l)" "$(wc -l <different)" "translations that differ"
refuses 2 "a multiple of the groups" nmt translate -m model.safetensors --beam 4 --beam-groups 3
refuses 2 "needs.*--n-best" nmt translate -m model.safetensors --distinct

# A higher threshold makes no translation shorter.
for threshold in 0 0.5 1; do translate --beam 4 --length-penalty 0 --end-threshold $threshold | wc -w; done >lengths
sort -n lengths | cmp - lengths || fail "a higher threshold ends earlier: $(<lengths)"

# Coverage lowers scores, and sometimes changes the choice.
translate --beam 6 --scores >usual
translate --beam 6 --scores --coverage-penalty 0.5 >covered
paste usual covered | awk -F '\t' '$3 > $1 + 1e-5 { bad = 1 } $4 != $2 { ++others } END { exit bad || !others }' ||
  fail "coverage changes nothing, or betters a score"
nmt translate -m model.safetensors -m model.safetensors --quiet --beam 6 --scores --coverage-penalty 0.5 <test.src >twice
same twice covered
printf 'coverage_penalty: 0.5\nbeam: 6\n' >own.yml
translate --scores --config own.yml >again
same again covered
refuses 2 "samples are drawn" nmt translate -m model.safetensors --sample --coverage-penalty 1

# Alternatives: as many as requested, each with another token after the prefix.
cut -d ' ' -f 1 test.tgt >prefixes
translate --prefix prefixes --beam 2 --n-best 4 --alternatives >list
equal "$(wc -l <list)" $((4 * $(wc -l <test.src))) "alternatives"
paste -d ' ' <(awk '{ for (i = 0; i < 4; ++i) print }' prefixes) list | awk '$1 != $4 { exit 1 }' || fail "not after the prefix"
translate --prefix prefixes --beam 2 --n-best 4 --alternatives --output-format jsonl | grep -o '"alternative":"[^"]*"' | wc -l >count
equal "$(<count)" $((5 * $(wc -l <test.src))) "tokens of alternatives"
refuses 2 "needs.*--n-best" nmt translate -m model.safetensors --alternatives
refuses 2 "mbr and --alternatives exclude" nmt translate -m model.safetensors --alternatives --n-best 2 --mbr chrf
refuses 2 "alternatives need the beam rules of nmt" nmt translate -m model.safetensors --alternatives --n-best 2 --beam-rules marian </dev/null
