#!/usr/bin/env bash
# The quick start: pairs from package descriptions, and the whole script with a generated archive.
. "$(dirname "$0")/../lib.sh"
examples=$(cd "$(dirname "$0")/../../examples" && pwd)
quickstart=$examples/quickstart/run.sh

# Summaries, paragraphs, sentences, lists.
cat >en <<'END'
Package: editor
Description-md5: 0a
Description-en: small editor
 It edits text. It needs
 little memory.
 .
 It is fast, e.g. in
 scripts. It is old.
 .
 Features:
  * colors of
    the text
  - "undo"
 It ends here.

Package: unpaired
Description-md5: 0b
Description-en: nothing of this is translated

Package: viewer
Description-md5: 0c
Description-en: viewer
 It shows a text.
 .
 It has no second paragraph in the other language.

Package: same
Description-md5: 0d
Description-en: libfoo
 An abbreviation of a text that is very long indeed on this side.
END
cat >de <<'END'
Package: viewer
Description-md5: 0c
Description-de: Betrachter
 Zeigt Text.

Package: elsewhere
Description-md5: 0e
Description-de: Nur hier

Package: editor
Description-md5: 0a
Description-de: kleiner Editor
 Er bearbeitet Text. Er braucht
 wenig Speicher.
 .
 Er ist schnell, z.B. in Skripten, und alt.
 .
 Merkmale:
  * Farben
    des Textes
  * »Rückgängig«
 Hier ist Schluss.

Package: same
Description-md5: 0d
Description-de: libfoo
 Kurz.
END
tr '|' '\t' >expected <<'END'
0c|viewer|Betrachter
0a|small editor|kleiner Editor
0a|It edits text.|Er bearbeitet Text.
0a|It needs little memory.|Er braucht wenig Speicher.
0a|It is fast, e.g. in scripts. It is old.|Er ist schnell, z.B. in Skripten, und alt.
0a|Features:|Merkmale:
0a|colors of the text|Farben des Textes
0a|"undo"|»Rückgängig«
0a|It ends here.|Hier ist Schluss.
END
LC_ALL=C awk -f "$examples/quickstart/pairs.awk" en de >found
same found expected

# Held-out text is not trained on, and nothing occurs twice.
tr '|' '\t' >keyed <<'END'
10|one|eins
00|held|gehalten
11|held|gehalten
05|held|gehalten
05|tested|geprüft
08|tested|getestet
09|one|ein
12|one|eins
ff|tested|geprüft
ff|two|zwei
END
LC_ALL=C awk -v source=train.s,valid.s,test.s -v target=train.t,valid.t,test.t \
  -f "$examples/quickstart/parts.awk" keyed keyed
equal "$(paste -d ' ' train.s train.t)" $'one eins\none ein\ntwo zwei' "training"
equal "$(paste -d ' ' valid.s valid.t)" "held gehalten" "validation"
equal "$(paste -d ' ' test.s test.t)" "tested geprüft" "test"

refuses 2 "give two different ones" "$quickstart" --languages en-en
refuses 2 "give two, as in en-de" "$quickstart" --languages english
refuses 2 "minutes" "$quickstart" --minutes ten
refuses 2 "minutes" "$quickstart" --minutes 0.0
refuses 2 "unknown option '--minute'" "$quickstart" --minute 3

# A stand-in for apt: a list of archives, and files for their URLs.
mkdir bin
cat >bin/apt-get <<'END'
#!/usr/bin/env bash
if [[ $1 == indextargets && -f archives ]]; then cat archives; fi
END
cat >bin/apt-helper <<'END'
#!/usr/bin/env bash
echo "$2" >>fetched
echo "W: something to be silent about" >&2
cp "${2#http://}" "$3"
END
chmod +x bin/*
export PATH=$PWD/bin:$PATH

# Without archives it says so and starts the copy task.
cat >bin/no-nmt <<'END'
#!/usr/bin/env bash
echo "$@" >>calls
exit 1
END
chmod +x bin/no-nmt
NMT=$PWD/bin/no-nmt exits 1 "$quickstart" --out copying 2>log
grep -q "cannot reach any archive of apt" log || fail "said of a missing network: $(<log)"
grep -Eq "^vocab .*copying/copy/train .*--type word" calls || fail "the copy task did not begin: $(<calls)"

# Numbered sentences as descriptions, with keys that begin with every digit.
descriptions() { # COLUMN LANGUAGE
  pairs 4711 400 | cut -f "$1" | awk -v language="$2" '
    { printf "Package: p%d\nDescription-md5: %02x%04x\nDescription-%s: %s\n\n", NR, NR * 37 % 256, NR, language, NR " " $0 }'
}
i18n=dists/stable/main/i18n
mkdir -p archive/$i18n security/$i18n
descriptions 1 en | xz >archive/$i18n/Translation-en.xz
descriptions 2 de | bzip2 >archive/$i18n/Translation-de.bz2
descriptions 1 en | tail -n 20 | xz >security/$i18n/Translation-en.xz
cat >archives <<'END'
http://nowhere stable main
http://archive/ stable main
http://security stable main
cdrom:disc stable main
http://archive/ stable main
END

exits 1 "$quickstart" --languages en-fr --out french 2>log
grep -q "^error: no archive of apt has descriptions in 'fr'" log || fail "said of a missing language: $(<log)"
# The models of the script, reduced so that they train quickly and learn nothing.
{
  echo '#!/usr/bin/env bash'
  declare -f overriding
  cat <<'END'
[[ $1 != train ]] || set -- "$@" --encoder-layers 1 --decoder-layers 1 --d-model 16 --d-ff 16 --batch-tokens 200 \
  --learning-rate 0
overriding exec "$REAL_NMT" "$@"
END
} >bin/small-nmt
chmod +x bin/small-nmt
export REAL_NMT=$NMT NMT=$PWD/bin/small-nmt
"$quickstart" --minutes 0.05 --out run >out 2>log || fail "$(<log)"
grep -Eq '^this machine trains the (small|large) model on [0-9]+ tokens per second: [0-9]+ updates in' log ||
  fail "no plan: $(<log)"
grep -q '^expected: ' log || fail "nothing is said of what to expect: $(<log)"
grep -q '^from http://archive/, stable, main$' log || fail "the archive is not named: $(<log)"
! grep -q "to be silent about" log || fail "apt was noisy"
equal "$(cat run/text/*.en | wc -l)" 400 "pairs"
equal "$(wc -l <run/test.de)" "$(wc -l <run/text/test.en)" "lines translated"
grep -q '^held-out descriptions: BLEU' out || fail "no BLEU: $(<out)"
grep -Eq '^BLEU is [0-9.]+ because [0-9]+ updates were made' out || fail "no reason: $(<out)"
grep -q 'translate -m .*run/averaged.safetensors' out || fail "nothing is said of what is next: $(<out)"

# A second call neither downloads nor translates again.
rm fetched
cp run/test.de before
"$quickstart" --minutes 0.05 --out run >again 2>log || fail "$(<log)"
[[ ! -e fetched ]] || fail "fetched again: $(<fetched)"
! grep -q "translation of" log || fail "translated again: $(<log)"
same before run/test.de
