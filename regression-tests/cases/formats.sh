#!/usr/bin/env bash
# Lines with their own settings, and complete results as JSON.
. "$(dirname "$0")/../lib.sh"
command -v python3 >/dev/null || skip "no python3"
make_model
translate() { nmt translate -m model.safetensors --quiet "$@"; }
# Evaluates a Python expression for each object, o.
each() {
  python3 -c "import json, sys
for line in sys.stdin:
    o = json.loads(line)
    print($1)"
}
as_json() {
  python3 -c 'import json, sys
for line in sys.stdin:
    print(json.dumps({"text": line.rstrip("\n")}, ensure_ascii=False))'
}

translate --scores <test.src >expected
as_json <test.src >requests
translate --input-format jsonl --output-format jsonl <requests >results
each '"%.6f\t%s" % (o["score"], o["text"])' <results >again
same again expected
translate --input-format jsonl --scores <requests >again
same again expected
translate --output-format jsonl --threads 1 <test.src >again
same again results

# The log-probabilities of tokens, and of words and EOS, add up to the total.
each 'max(abs(sum(o["token_log_probabilities"]) - o["log_probability"]),
        abs(sum(o["word_log_probabilities"]) + o["token_log_probabilities"][-1] - o["log_probability"])) < 1e-4' \
  <results | sort -u >sums
equal "$(<sums)" True "sums of log-probabilities"
each '" ".join(o["words"]) == o["text"].strip() and o["tokens"][-1] == "</s>"' <results | sort -u >words
equal "$(<words)" True "words"

# Settings of a line work like those of the command line, whatever the other lines have.
{
  sed -n 1p requests
  sed -n 1p requests | sed 's/}$/, "beam": 1}/'
  sed -n 1p requests | sed 's/}$/, "sample": true, "seed": 7, "n_best": 3}/'
  sed -n 1p requests | sed 's/}$/, "prefix": "la rano"}/'
  sed -n 1p requests | sed 's/}$/, "n_best": 4, "min_length": 9}/'
} >mixed
translate --input-format jsonl --output-format jsonl <mixed >results
line() { sed -n "$1p" results | each "${2:-o[\"text\"]}"; }
head -n 1 test.src >one
equal "$(line 1)" "$(translate <one)" "as it is"
equal "$(line 2)" "$(translate --beam 1 <one)" "beam"
equal "$(line 4)" "$(translate --prefix <(echo la rano) <one)" "prefix"
equal "$(line 5 '"\n".join(t["text"] for t in o["n_best"])')" \
  "$(translate --n-best 4 --min-length 9 <one | awk -F ' [|][|][|] ' '{ print $2 }')" "n-best"
# Samples depend on the number of the line.
{ echo; echo; cat one; } | translate --sample --seed 7 --n-best 3 |
  awk -F ' [|][|][|] ' '$1 == 2 { print $2 }' >expected
line 3 '"\n".join(t["text"] for t in o["n_best"])' >drawn
same drawn expected

# The second column is the beginning of the translation.
translate --prefix <(sed 's/.*/la rano/' test.src) <test.src >expected
sed 's/$/\tla rano/' test.src | translate --input-format tsv >again
same again expected
translate --input-format tsv <test.src >again
translate <test.src >expected
same again expected

# Alignments have the requested form.
translate --alignment hard <one | sed 's/.* ||| //' >expected
translate --alignment hard --output-format jsonl <one | each '" ".join(f"{s}-{t}" for s, t in o["alignment"])' >again
same again expected
translate --alignment soft --output-format jsonl <one | each 'len(o["alignment"][0])' >again
equal "$(<again)" "$(($(wc -w <one) + 1))" "soft alignment"

# Errors are reported in place of the translation, and all other lines are translated.
{
  sed -n 1p requests
  echo '{"text": "a", "beem": 3}'
  echo '{'
  echo '{"text": "a", "beam": 0}'
  sed -n 2p requests
} >some_bad
nmt translate -m model.safetensors --input-format jsonl --output-format jsonl <some_bad >results 2>err
equal "$(wc -l <results)" 5 "a line out for a line in"
equal "$(line 1)" "$(translate <one)" "before the bad lines"
equal "$(line 5)" "$(sed -n 2p test.src | translate)" "after the bad lines"
line 2 'o["error"]' | contains "unknown field 'beem', did you mean 'beam'?" || fail "$(line 2 o)"
line 3 'o["error"]' | contains "invalid JSON at byte 2" || fail "$(line 3 o)"
line 4 'o["error"]' | contains "'beam' is 0" || fail "$(line 4 o)"
grep -q "warning: 3 lines failed; line 2: unknown field 'beem'" err || fail "$(<err)"
exits 1 translate --input-format jsonl <some_bad >out 2>err
grep -q "^error: 'standard input', line 2: unknown field 'beem'" err || fail "$(<err)"
equal "$(wc -l <out)" 1 "lines before"
printf 'a\tb\tc\n' | exits 1 translate --input-format tsv 2>err
grep -q "line 1: more than two fields" err || fail "$(<err)"
echo '{"text": "a", "n_best": 2}' | exits 1 translate --input-format jsonl 2>err
grep -q "line 1: 'n_best' needs --output-format jsonl or --n-best" err || fail "$(<err)"
echo '{"text": "Aa bb. Cc dd.", "prefix": "x"}' | translate --input-format jsonl --output-format jsonl --split sentences >results
line 1 'o["error"]' | contains "a prefix needs lines of one sentence" || fail "$(<results)"

refuses 2 "prefix and .*input-format exclude each other" translate --input-format tsv --prefix one
refuses 2 "output-format and .*scores exclude each other" translate --output-format jsonl --scores
refuses 2 "output-format and .*n-best-format exclude each other" \
  translate --output-format jsonl --n-best 2 --n-best-format marian
