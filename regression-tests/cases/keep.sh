#!/usr/bin/env bash
# Parts of a text that are kept come back unchanged, whatever the model does; so does white space at the ends of lines.
. "$(dirname "$0")/../lib.sh"
make_model
translate() { nmt translate -m model.safetensors --quiet "$@"; }

translate <test.src >expected
sed 's/^/  /; s/$/\t /' test.src | translate >again
sed 's/^/  /; s/$/\t /' expected >spaced
same again spaced
printf ' \t\n\n' | translate >again
printf ' \t\n\n' >spaced
same again spaced

sed 's/ / {user.name} see https:\/\/a.b\/c?d=1, me@x.org %-5.2f /' test.src >kept
translate --keep urls,emails --keep placeholders,printf <kept >again
for part in '{user.name}' 'https://a.b/c?d=1' 'me@x.org' '%-5.2f'; do
  equal "$(grep -cF -- "$part" again) $(grep -oF -- "$part" again | wc -l)" "$(wc -l <kept) $(wc -l <kept)" "$part"
done
! grep -q 'X[0-9]' again || fail "$(grep 'X[0-9]' again)"
translate --threads 1 --batch-tokens 60 --keep urls,emails,placeholders,printf <kept >one
same one again
sed 's/["\\]/\\&/g; s/.*/{"text": "&", "keep": ["urls,emails,placeholders,printf"]}/' kept |
  translate --input-format jsonl >one
same one again
sed 's/.*/& {a}. & {b}! &/' test.src | translate --split sentences --keep '\{[ab]\}' >again
equal "$(grep -c '{a}.*{b}' again)" "$(wc -l <test.src)" "sentences"

sed 's/ / <code>a  \&lt;b<\/code> <span translate="no">c <b>d<\/b><\/span> /' test.src >marked
translate --markup <marked >again
for part in '<code>a  &lt;b</code>' '<span translate="no">c <b>d</b></span>'; do
  equal "$(grep -cF -- "$part" again)" "$(wc -l <marked)" "$part"
done
echo '<p>la<p>rano <img> lano' | translate --markup >again
grep -q '^<p>.*<p>.*<img> ' again || fail "$(<again)"

# Bars between spaces, which would divide an n-best list, are escaped there and read back.
echo 'the bad ||| tab' >bars
translate --keep '[|]{3}' --n-best 2 <bars >list
equal "$(grep -c '^0 ||| .*&#124;&#124;&#124;.* ||| -[0-9.]*$' list)" 2 "entries with bars"
equal "$(awk -F ' [|][|][|] ' '{ print NF }' list | sort -u)" 3 "fields"
nmt score -m model.safetensors --source bars --n-best list --rerank best --quiet 2>/dev/null >best
grep -qw '|||' best || fail "no bars: $(<best)"

refuses 2 "keep '\(' is not a regular expression: ICU says U_REGEX_MISMATCHED_PAREN" translate --keep '('
refuses 2 "unknown preset 'urlz', did you mean 'urls'" translate --keep urlz
refuses 2 "keep and .*alignment exclude each other" translate --keep urls --alignment hard
head -c 3000 /dev/zero | tr '\0' a | exits 1 translate --keep '(a*)*(a*)*b' 2>err
grep -q "takes too much time or memory" err || fail "$(<err)"
