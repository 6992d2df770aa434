#!/usr/bin/env bash
# A model that is trained on joined sentences uses the sentences before a sentence, and every line keeps its line.
. "$(dirname "$0")/../lib.sh"

# Documents of three sentences: "it" is translated by the word for the noun of the first sentence.
documents() { # SEED COUNT
  awk -v state="$1" -v count="$2" '
    function draw(n) { state = state * 16807 % 2147483647; return int(state / 7) % n }
    BEGIN {
      while (count-- > 0) {
        noun = draw(8); one = draw(8); other = draw(8)
        print "a n" noun " v" one " .\tun " (noun % 2 ? "x" : "y") noun " w" one " ."
        print "it v" one " .\t" (noun % 2 ? "elle" : "il") " w" one " ."
        print "and it v" other " .\tet " (noun % 2 ? "elle" : "il") " w" other " ."
        print "\t"
      }
    }'
}
documents 17 400 >pairs
cut -f 1 pairs >train.src
cut -f 2 pairs >train.tgt
documents 4711 25 >test.pairs
cut -f 1 test.pairs >test.src
cut -f 2 test.pairs >test.tgt
nmt vocab -i train.src -i train.tgt -o words.spm --type word --size 43 --quiet

# Joined are whole documents, or parts of them.
batch() { nmt batch --source train.src --target train.tgt --vocab words.spm -o "$@"; }
batch joined.nmtc --context 2 2>log
grep -Eq "1200 pairs joined into [67][0-9]{2} examples" log || fail "joined: $(<log)"
nmt batch joined.nmtc >shown
grep -Eq "joined.nmtc: 1200 pairs of 1600, joined into [67][0-9]{2} examples" shown || fail "shown: $(<shown)"
grep -Eq "^empty +400 +25.00 %" shown || fail "shown: $(<shown)"
batch again.nmtc --context 2 --threads 2 --quiet
same joined.nmtc again.nmtc
batch short.nmtc --context 2 --max-length 9 2>log
grep -Eq "1200 pairs joined into 8[0-9]{2} examples" log || fail "joined: $(<log)"
batch alone.nmtc --context 0 --quiet
batch plain.nmtc --quiet
same alone.nmtc plain.nmtc
refuses 2 "--context is about translations; give --source" nmt batch --target train.tgt --vocab words.spm --context 1 -o no

nmt train "${small[@]}" --train joined.nmtc --save-every 0 -o run --quiet --steps 400
translate() { nmt translate -m run --quiet "$@"; }
wrong() { paste -d '|' "$1" test.tgt | awk -F '|' '$1 != $2' | wc -l; }
translate <test.src >without
translate --context 2 <test.src >with
equal "$(wrong with)" 0 "wrong lines with context"
holds "$(wrong without) > 10"
equal "$(sed -n '4~4p' with | sort -u)" "" "empty lines"

# The first sentences of documents have no context; lines do not depend on threads, chunks and beams.
paste -d '|' with without | awk -F '|' 'NR % 4 == 1 && $1 != $2 { exit 1 }' || fail "a first sentence has a context"
for options in '--threads 2 --batch-tokens 60' --flush '--beam 1' '--precision int8'; do
  # shellcheck disable=SC2086
  translate --context 2 $options <test.src >some
  equal "$(wrong some)" 0 "wrong lines with $options"
done
translate --context 2 --output-format jsonl --alignment soft <test.src >json
equal "$(wc -l <json)" 100 lines
sed -n 2p json | contains '"text":"'"$(sed -n 2p test.tgt)"'"' || fail "JSON: $(sed -n 2p json)"

# The texts of a document have the texts before them as context.
head -n 3 test.src >report.txt
translate --document report.txt --split none --context 2 -o report.tgt
head -n 3 test.tgt | same report.tgt -

# A context goes with whole lines alone.
echo x >one
refuses 2 "--context and --shard exclude each other" nmt translate -m run --context 1 -i test.src --shard 1/2
for options in '--prefix one' '--constraints one' '--min-length 2' '--alternatives --n-best 2'; do
  # shellcheck disable=SC2086
  refuses 2 "--context.*exclude each other: ${options%% *} is for texts without a context" \
    translate --context 1 $options <one
done

# Every interface gives texts their context: lines in JSON, of which each may say how much,
json_lines() { python3 -c 'import json, sys
for line in sys.stdin: print(json.dumps({"text": line.rstrip("\n"), **json.loads(sys.argv[1])}))' "$1"; }
texts_of() { python3 -c 'import json, sys
for line in sys.stdin: print(json.loads(line)["text"])'; }
json_lines '{"context": 2}' <test.src >asked.jsonl
translate --input-format jsonl --output-format jsonl <asked.jsonl | texts_of | same - with
json_lines '{"context": 0}' <test.src >asked.jsonl
translate --context 2 --input-format jsonl --output-format jsonl <asked.jsonl | texts_of | same - without
json_lines '{"context": 2, "prefix": "il"}' <one | translate --input-format jsonl --output-format jsonl |
  contains "'context' and 'prefix' exclude each other: 'prefix' is for texts without a context" || fail "no error"
json_lines '{"context": 2}' <one >asked.jsonl
translate --input-format jsonl --output-format jsonl -i asked.jsonl --shard 1/1 |
  contains "'context' needs the lines before a line" || fail "no error"

# a server, whose cache knows sentences with their context,
start_server "$NMT" serve -m run --cache 1000
ask() { python3 -c 'import json, sys, urllib.request
body = {"text": sys.stdin.read().split("\n")[:-1], "split": False, **json.loads(sys.argv[2])}
try: answer = urllib.request.urlopen(sys.argv[1] + "/v1/translate", json.dumps(body).encode())
except urllib.error.HTTPError as error: sys.exit(json.load(error)["error"])
for each in json.load(answer)["translations"]: print(each["text"])' "$url" "$@"; }
ask '{}' <test.src | same - without
ask '{"context": 2}' <test.src | same - with
ask '{"context": 2}' <test.src | same - with
ask '{}' <test.src | same - without
ask '{"context": 2, "split": true}' <<<"$(paste -sd " " report.txt)" | same - <(paste -sd " " report.tgt)
equal "$(ask '{"context": 11}' <one 2>&1)" "'context' is 11; a request has at most 10" "more context than a client may ask for"
equal "$(ask '{"context": 1, "min_length": 2}' <one 2>&1)" \
  "'context' and 'min_length' exclude each other: 'min_length' is for texts without a context; leave one out" "a conflict"
kill $server

# and the Python module, which also takes the texts before the first one.
export PYTHONPATH=${NMT%/*}/python PYTHONDONTWRITEBYTECODE=1
if [[ -z ${NMT_SANITIZED:-} ]] && python3 -c 'import nmt' 2>/dev/null; then
  python3 - <<'END'
import nmt

texts, expected, alone = (open(name).read().split("\n")[:-1] for name in ("test.src", "with", "without"))
translator = nmt.Translator("run", device="cpu")
assert [each.text for each in translator.translate(texts)] == alone
assert [each.text for each in translator.translate(texts, context=2)] == expected
assert [each.text for each in translator.translate_iter(texts, context=2, chunk=3)] == expected
assert translator.translate(texts[2], context=2, earlier_texts=texts[:2]).text == expected[2]
try:
    translator.translate(texts, context=2, min_length=3)
except nmt.UsageError as error:
    assert "`context` and `min_length` exclude each other" in str(error), error
else:
    raise AssertionError("no error")
END
fi
