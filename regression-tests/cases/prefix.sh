#!/usr/bin/env bash
# Translations begin with the given prefix of their line.
. "$(dirname "$0")/../lib.sh"
make_model
translate() { nmt translate -m model.safetensors --quiet "$@"; }

translate --beam 1 <test.src >free
# A prefix that a greedy search finds anyway changes nothing.
awk '{ print NR % 3 ? $1 " " $2 : "" }' free >beginnings
translate --beam 1 --prefix beginnings <test.src >same
same same free
for options in '--threads 2 --batch-tokens 100' '--beam 1' '--sample' '--beam-rules marian' '--n-best 2'; do
  # shellcheck disable=SC2086
  translate $options --prefix <(sed 's/.*/la rano/' test.src) <test.src | sed 's/.* ||| \(.*\) ||| .*/\1/' >begun
  ! grep -v '^la rano' begun || fail "$options: begins in another way"
done
translate --threads 2 --prefix <(sed 's/.*/la rano/' test.src) <test.src >two
translate --threads 1 --prefix <(sed 's/.*/la rano/' test.src) <test.src >one
same two one

# Characters that the vocabulary lacks come back as well.
for options in '' '--replace-unknown' '--n-best 2' '--sample'; do
  # shellcheck disable=SC2086
  translate $options --prefix <(sed 's/.*/la 日本  😀/' test.src) <test.src | sed 's/.* ||| \(.*\) ||| .*/\1/' >begun
  ! grep -v '^la 日本  😀' begun || fail "$options: begins in another way"
done

# A length limit does not truncate them.
translate --max-length-factor 0 --max-length-extra 1 --prefix <(sed 's/.*/la rano/' test.src) <test.src >short
equal "$(sort -u short)" "la rano" "beyond the limit"

awk 'BEGIN { for (i = 0; i < 2000; ++i) printf "la " }' >endless
refuses 1 "line 1.*prefix has more than 1024 tokens" translate --prefix endless <<<"la rano"

head -n 2 test.src >few
exits 1 translate --prefix few <test.src >out 2>err
grep -q "^error: 'few' has fewer lines than 'standard input'" err || fail "$(<err)"
equal "$(wc -l <out)" 2 "lines before"
exits 1 translate --prefix test.src <few >out 2>err
grep -q "^error: 'test.src' has more lines than" err || fail "$(<err)"
equal "$(wc -l <out)" 2 "lines before"
refuses 2 "split and .*prefix exclude each other" translate --split sentences --prefix few
