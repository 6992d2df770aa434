#!/usr/bin/env bash
# Tags are placed around the words of translations, and the model does not see them.
. "$(dirname "$0")/../lib.sh"
make_model
translate() { nmt translate -m model.safetensors --quiet "$@"; }
plain() { sed 's/<[^>]*>//g; s/&amp;/\&/g; s/  */ /g; s/ $//'; }  # tags of blocks have white space of the source

translate <test.src >expected
translate --markup <test.src >again
same again expected
sed 's/^[^ ]*/<p class="x>y"><i>&<\/i>/; s/$/<\/p><br>/' test.src >marked
translate --markup <marked >translated
sed 's/ class="x>y"//g' translated | plain >again
same again expected
equal "$(grep -c '<p class="x>y">' translated) $(grep -c '<i>' translated) $(grep -c '<br>' translated)" \
  "$(wc -l <test.src) $(wc -l <test.src) $(wc -l <test.src)" "elements"
translate --markup --threads 1 --batch-tokens 60 <marked >again
same again translated
translate --markup --n-best 2 <marked | awk -F ' [|][|][|] ' '!seen[$1]++ { print $2 }' >again
same again translated

# Words get the elements of the source words that they are aligned to.
head -n 1 test.src >one
words=$(wc -w <one)
awk '{ for (i = 1; i <= NF; ++i) printf "<x%d>%s</x%d>%s", i, $i, i, i < NF ? " " : "\n" }' one >numbered
translate --alignment hard <one | awk -F ' [|][|][|] ' '{
  n = split($1, words, " "); m = split($2, links, " ")
  for (i = 1; i <= m; ++i) { split(links[i], link, "-"); of[link[2] + 1] = link[1] + 1 }
  for (i = 1; i <= n; ++i) print of[i], words[i] }' >expected
translate --markup <numbered | grep -o '<x[0-9]*>[^<]\+' |
  awk -F '[x>]' '{ n = split($3, words, " "); for (i = 1; i <= n; ++i) print $2, words[i] }' >again
same again expected
for ((i = 1; i <= words; ++i)); do
  translate --markup <numbered | contains "<x$i>" || fail "element $i is lost"
done

# End tags may be missing, but tags and comments must be closed.
head -n 1 test.src | sed 's/ / <b>/' | translate --markup >unclosed
equal "$(grep -o '<[^>]*>' unclosed)" '<b>' "tags of an element without an end tag"
equal "$(sed 's/<b>//' unclosed)" "$(head -n 1 test.src | translate)" "words beside such an element"
echo 'the dog <!-- sees' | exits 1 translate --markup 2>err
grep -q "line 1: '<!-- sees' is not closed; end it with '-->'" err || fail "$(<err)"
refuses 2 "markup and .*alignment exclude each other" translate --markup --alignment hard

# Comments, tags and elements that are kept may span lines; their lines stay as they are.
page() { printf '%s\n' '<!-- la' "la --> $1 <img" 'src="la">' '<script>' 'if (la < 1) {' "</script> $2" '<pre>' la; }
{ echo 'lano rano'; echo 'la rano'; } | translate >expected
page 'lano rano' 'la rano' | nmt translate -m model.safetensors --markup >lines 2>err
page "$(sed -n 1p expected)" "$(sed -n 2p expected)" >again
same again lines
grep -q "line 7: '<pre>' is not closed, and all lines after it were kept as they are; end it with '</pre>'" err ||
  fail "$(<err)"

# A JSON line can set `markup`, with and without the option.
sed 's/["\\]/\\&/g; s/.*/{"text": "&", "markup": true}/' marked >requests
translate --input-format jsonl <requests >again
same again translated
sed 's/["\\]/\\&/g; s/.*/{"text": "&"}/' marked | translate --input-format jsonl --markup >again
same again translated
sed 's/["\\]/\\&/g; s/.*/{"text": "&", "markup": false, "replace_unknown": true}/' test.src |
  translate --input-format jsonl --markup >again
translate --replace-unknown <test.src >expected
same again expected
head -n 1 requests | exits 1 translate --input-format jsonl --alignment hard 2>err
grep -q "markup and --alignment exclude each other" err || fail "$(<err)"

# Lines of several sentences: blocks separate sentences, and elements may span them.
echo 'Ba be. Bi bo. Bu ba' | translate --split sentences >expected
echo '<div>Ba be. Bi bo.<p>Bu ba</p></div>' | translate --split sentences --markup >translated
sed 's/<p>/ /' translated | plain >again
same again expected
grep -q '^<div>.*<p>.*</p></div>$' translated || fail "$(<translated)"

# Untranslated elements, white space, and unmatched end tags stay in place; elements may overlap.
echo '<?xml version="1.0"?>&nbsp;<pre>x</pre> la rano&#160;<pre>y</pre> </div>' | translate --markup >translated
grep -q '^<?xml version="1.0"?>&nbsp;<pre>x</pre> [^<]*&#160;<pre>y</pre> </div>$' translated || fail "$(<translated)"
echo '<b>la <i>rano</b> lano</i></br>' | translate --markup >translated
for tag in '<b>' '<i>' '</b>' '</i>' '</br>'; do grep -q "$tag" translated || fail "$(<translated)"; done
