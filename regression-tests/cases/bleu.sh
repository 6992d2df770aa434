#!/usr/bin/env bash
# Known scores of known texts.
. "$(dirname "$0")/../lib.sh"

cat >reference <<'END'
The cat sat on the mat.
There is a house, isn't there?
Prices rose by 3.5% in 2019.
END
cat >other <<'END'
A cat was sitting on the mat.
There's a house there, isn't there?
In 2019, prices rose 3.5%.
END
cat >hypothesis <<'END'
The cat sat on a mat.
There is the house, isn't there?
Prices rose 3.5% in 2019.
END

equal "$(nmt bleu reference --score-only <reference)" 100.0
equal "$(nmt bleu reference -b --width 4 <hypothesis)" 57.2472
equal "$(nmt bleu reference other -b --width 4 <hypothesis)" 59.9836
equal "$(nmt bleu reference -b -w 0 <hypothesis)" 57
equal "$(nmt bleu reference -b -i hypothesis)" "$(nmt bleu reference -b <hypothesis)"

nmt bleu reference <hypothesis >line
grep -Eq '^BLEU\|nrefs:1\|case:mixed\|eff:no\|tok:13a\|smooth:exp\|version:nmt-[0-9.]+ = 57\.2 [0-9./]+ \(BP = 0\.[0-9]{3} ratio = 0\.[0-9]{3} hyp_len = [0-9]+ ref_len = [0-9]+\)$' line ||
  fail "the line reads: $(<line)"
nmt bleu reference --json <hypothesis >json
grep -q '"name": "BLEU"' json || fail "JSON without a name: $(<json)"
grep -q '"score": 57.2' json || fail "JSON without the score: $(<json)"

# Other metrics, several systems, sentences, tests.
equal "$(nmt bleu reference -b -m BLEU chrF <hypothesis)" "$(nmt bleu reference -b -m bleu,chrf <hypothesis)" "in any case"
equal "$(nmt bleu reference other -b --width 4 --metrics bleu,chrf,chrf++,ter <hypothesis | tr '\n' ' ')" \
  "[ 59.9836, 76.8162, 77.4158, 16.6667 ] "
equal "$(nmt bleu reference -i reference hypothesis -b -m bleu,ter)" $'reference\t100.0\t0.0\nhypothesis\t57.2\t16.7'
equal "$(nmt bleu reference -b --sentence-level <hypothesis | wc -l)" 3
paste reference other >both
equal "$(nmt bleu both --num-refs 2 -b --width 4 <hypothesis)" 59.9836
nmt bleu reference -i hypothesis other --paired-bs -m bleu,chrf >table
grep -Eq '^other +[0-9.]+ \([0-9.]+ ± [0-9.]+\) p = [0-9.]+' table || fail "no p-value: $(<table)"
refuses 2 "did you mean 'chrf'" nmt bleu reference -m chr <hypothesis
refuses 2 "tokenize needs BLEU; add it to --metrics" nmt bleu reference -m chrf,ter --tokenize char <hypothesis
refuses 2 "smooth-method needs BLEU" nmt bleu reference -m ter --smooth-method none <hypothesis
nmt bleu reference -m chrf,bleu --tokenize char --smooth-method none --quiet <hypothesis >/dev/null
refuses 2 "at least two" nmt bleu reference --paired-ar <hypothesis
refuses 1 "line 1: 1 reference .*not 2" nmt bleu reference --num-refs 2 <hypothesis

# Compressed references, and a missing newline at the end.
xz -k reference && gzip -k other
printf %s "$(<hypothesis)" >unended
equal "$(nmt bleu reference.xz other.gz -b -w 4 <unended)" 59.9836

head -n 2 hypothesis >short
refuses 1 "'reference' has 3 lines.*has 2" nmt bleu reference <short
refuses 1 "missing" nmt bleu missing <hypothesis
refuses 1 "directory" nmt bleu . <hypothesis
refuses 1 "empty" nmt bleu reference </dev/null
refuses 2 "json.*score-only" nmt bleu reference --json -b <hypothesis
refuses 2 "width" nmt bleu reference --width -1 <hypothesis
refuses 2 "reference is missing" nmt bleu <hypothesis

# A full disk is an error, too.
[[ -w /dev/full ]] || skip "no /dev/full here"
exits 1 nmt bleu reference <hypothesis 2>error >/dev/full
grep -q "^error: cannot write to standard output" error || fail "got: $(<error)"
