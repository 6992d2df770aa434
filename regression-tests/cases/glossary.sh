#!/usr/bin/env bash
# Terms of a glossary are translated as it says where they occur, and nothing else changes; servers store glossaries.
. "$(dirname "$0")/../lib.sh"
make_model
translate() { nmt translate -m model.safetensors "$@"; }

# Some words of the sources have other translations than usual.
tr ' ' '\n' <test.src | grep -E '^[a-z]+$' | sort | uniq -c | sort -k 1,1nr -k 2 | awk 'NR > 3 && NR <= 6 { print $2 }' >words
equal "$(wc -l <words)" 3 words
sed -n 1p words | sed 's/$/\tsobo apud|kino apud/' >terms.tsv
sed -n 2p words | tr '[:lower:]' '[:upper:]' | sed 's/$/\tapud/' >>terms.tsv
sed -n 3p words | sed 's/$/\t/' >>terms.tsv
printf '\nnowhere\tnothing\tcase\n' >>terms.tsv
translate --quiet --beam 4 <test.src >usual
translate --beam 4 --glossary terms.tsv <test.src 2>log >found
awk -v kept="$(sed -n 3p words)" -v first="$(sed -n 1p words)" -v second="$(sed -n 2p words)" '
  NR == FNR { source[FNR] = " " $0 " "; next }
  { text = " " tolower($0) " " }
  index(source[FNR], " " first " ") && !index(text, " sobo apud ") && !index(text, " kino apud ") ||
  index(source[FNR], " " second " ") && !index(text, " apud ") ||
  index(source[FNR], " " kept " ") && !index(text, " " kept " ") { print "line " FNR ": " $0; bad = 1 }
  END { exit bad }' test.src found || fail "terms are missing"
terms=$(awk 'NR == FNR { words[$1]; next } { split("", seen); for (i = 1; i <= NF; ++i) if ($i in words) seen[$i]; for (w in seen) ++n } END { print n }' words test.src)
grep -q "terms: $terms of $terms in the translations" log || fail "another summary than $terms: $(<log)"
has_terms() { grep -wf words test.src; }
has_none() { paste -d '\n' test.src "$1" | awk 'NR == FNR { words[$1]; next } FNR % 2 { none = 1; for (i = 1; i <= NF; ++i) if ($i in words) none = 0; next } none' words -; }
has_terms >/dev/null || fail "no line has a term"
has_none usual >expected
has_none found >again
same again expected # lines without terms do not change
translate --quiet --glossary terms.tsv --beam 4 --batch-tokens 60 --threads 2 <test.src >again
same again found

# Searches of any width, precision and rules include the terms.
for options in '--beam 1' '--beam 6 --precision int8' '--n-best 2 --n-best-format nmt'; do
  # shellcheck disable=SC2086
  translate --glossary terms.tsv $options <test.src 2>log >some
  grep -q "terms: $terms of $terms in the translations" log || fail "not all with $options: $(<log)"
done

# Several sentences in a line, each with its own terms; markup and kept parts.
line=$(head -n 1 words)
echo "$line. Aa bb. $line http://a.b" >text
translate --quiet --glossary terms.tsv --split sentences --keep urls --output-format jsonl <text >json
equal "$(grep -o '"met":true' json | wc -l)" 2 "terms of the sentences"
echo "<b>$line</b> aa" >text
translate --quiet --glossary terms.tsv --markup <text >marked
contains -E '<b>.*(sobo|kino).*</b>' <marked || fail "no term in its tag: $(<marked)"

# JSON lines have glossaries of their own, or that of the command line.
printf '{"text": "%s", "glossary": {"%s": "apud"}}\n{"text": "%s"}\n{"text": "%s", "glossary": []}\n' "$line" "$line" "$line" "$line" >requests
translate --quiet --glossary terms.tsv --input-format jsonl --output-format jsonl <requests >json
sed -n 1p json | contains -F '"terms":[{"source":"'"$line"'","targets":["apud"],"met":true}]' || fail "own terms: $(<json)"
sed -n 2p json | contains -F '"targets":["sobo apud","kino apud"],"met":true' || fail "terms: $(<json)"
if sed -n 3p json | contains terms; then fail "terms without a glossary"; fi

# A term that the vocabulary cannot spell is reported.
printf '%s\t語\n' "$line" >foreign.tsv
echo "$line" | translate --glossary foreign.tsv 2>log >/dev/null
grep -q "terms: 0 of 1 in the translations" log || fail "not reported: $(<log)"
echo nothing | translate --glossary terms.tsv 2>log >/dev/null
grep -q "no term of the glossary occurs in the text" log || fail "not said: $(<log)"

refuse() { refuses 2 "$1" translate --glossary "${@:2}" </dev/null; }
printf 'a\tb\n\nA\tc\n' >bad.tsv
refuse "'bad.tsv', line 3: 'A' is the term of 'bad.tsv', line 1, too" bad.tsv
printf 'a b\n' >bad.tsv
refuse "'bad.tsv', line 1: there is no tab" bad.tsv
printf 'a\tb\tplural\n' >bad.tsv
refuse "'bad.tsv', line 1: unknown flag 'plural'" bad.tsv
refuses 1 "cannot read 'none.tsv'" translate --glossary none.tsv </dev/null
refuse "sample and --glossary exclude" terms.tsv --sample
refuse "terms of --glossary need the beam rules of nmt, but --beam-rules is marian" terms.tsv --beam-rules marian

# A model whose sources had translations reads those of terms. Words have any translation, so that nothing else tells it.
refuse "the source vocabulary lacks __source__; make it by .nmt vocab --terms" terms.tsv --glossary-by annotation
cut -d ' ' -f 2 <train.src >one.src
targets='n = split("belo dika fumo gani hupe jolu kimo lavu", w)'
awk 'BEGIN { srand(7); '"$targets"' } { print w[1 + int(rand() * n)] }' one.src >any.tgt
sed 's/.*/0-0/' one.src >one.align
nmt vocab -i one.src -i any.tgt -o terms.spm --type word --size 35 --terms --quiet
nmt train "${small[@]}" --vocab terms.spm --source one.src --target any.tgt --alignment one.align --augment terms=1 --steps 80 \
  --save-every 0 -o annotated --quiet
sort -u one.src | awk 'BEGIN { '"$targets"' } { print $0 "\t" w[NR % n + 1] }' >any.tsv
cut -d ' ' -f 2 <test.src >one.test
awk 'NR == FNR { translation[$1] = $2; next } { print translation[$1] }' any.tsv one.test >expected
nmt translate -m annotated --glossary any.tsv <one.test 2>log >found
same found expected
grep -q "terms: 50 of 50 in the translations" log || fail "not all terms: $(<log)"
nmt translate -m annotated --quiet --glossary any.tsv --glossary-by constraints <one.test >found
same found expected
nmt translate -m annotated --quiet --glossary any.tsv --sample --temperature 0 --alignment hard <one.test | sed 's/ ||| 0-0$//' >found
same found expected
if nmt translate -m annotated --quiet <one.test | cmp -s - expected; then fail "a glossary changes nothing"; fi

# A server keeps the glossaries of its clients, also if it is killed, and gives the translations of nmt translate.
echo "$line aa $line" >text
expected=$(translate --quiet --glossary terms.tsv <text)
start() { start_server "$NMT" serve -m en-de=model.safetensors --glossaries stored; }
ask() { curl --silent --show-error --fail-with-body "$@"; }
start
terms='{"'$line'": ["sobo apud", "kino apud"]}'
ask "$url/v1/glossaries" -d "{\"name\": \"a\", \"dictionaries\": [{\"terms\": $terms}]}" >answer
id=$(grep -oE '[0-9a-f]{8}(-[0-9a-f]{4,}){4}' answer) || fail "no id: $(<answer)"
kill -9 "$server" && wait "$server" 2>/dev/null || true
start
for glossary in "\"$id\"" "$terms"; do
  ask "$url/v1/translate" -d "{\"text\": \"$(<text)\", \"glossary\": $glossary}" >answer
  contains -F "\"text\":\"$expected\"" <answer || fail "another translation than '$expected': $(<answer)"
  contains -F '"met":true' <answer || fail "no terms: $(<answer)"
done
ask -X DELETE "$url/v1/glossaries/$id"
equal "$(ls stored)" "" "deleted files"
kill -TERM "$server" && wait "$server" || true
touch file
refuses 1 "cannot make the folder 'file/in'" nmt serve -m model.safetensors --glossaries file/in
