#!/usr/bin/env bash
# Links, options and form of the documentation. The case `documented` runs its commands.
. "$(dirname "$0")/../lib.sh"
command -v python3 >/dev/null || skip "no python3"
root=$(cd "$(dirname "$0")/../.." && pwd)
check=$root/regression-tests/documentation.py
export PYTHONDONTWRITEBYTECODE=1

# All planted faults are found, each in its line, and no others.
cat >other.md <<'END_OF_PAGE'
# Other

A page to link to, with `nmt translate --beam 2`.

## A `heading`, and more

| nmt | Marian |
|---|---|
| `--beam` | `--beam-size` |
END_OF_PAGE
cat >wrong.md <<'END_OF_PAGE'
# Wrong

A page with [a link](other.md), [a heading](other.md#a-heading-and-more), [one of its own](#links) and
[no file](none.md), [no
heading](other.md#none), and `nmt train --steps 3`, `nmt train
--no-such-option`, `--beem` and `marian-decoder --normalize`.

```
nmt translate -m model.safetensors \
  --beem 4 < test.en | sacrebleu ref --force    # --not-an-option
mpirun --oversubscribe nmt train --beam 2
```

## Links

| option | |
|---|---|
| `--beam N` (4), `--top-k K` (3) | the second default is wrong |

| key | default | |
|---|---|---|
| `d_model`, `heads` | 512, 7 | so is the second one here |

`[text](none.md)` is code, and [a site](https://example.org/none) is not visited.
END_OF_PAGE
cat >formless.md <<'END_OF_PAGE'
## Formless

END_OF_PAGE
if python3 "$check" other.md wrong.md formless.md >found; then fail "nothing is found to be wrong"; fi
equal "$(head -n -1 found | LC_ALL=C sort)" "formless.md:1: does not begin with a title and what the page is about
formless.md:1: has no example before its second section
wrong.md:10: nmt translate has no option --beem
wrong.md:11: nmt train has no option --beam
wrong.md:18: top-k has the default 0, not 3
wrong.md:22: heads has the default 8, not 7
wrong.md:4: the link to none.md names no file
wrong.md:5: nmt train has no option --no-such-option
wrong.md:5: the link to other.md#none names no heading
wrong.md:6: nmt has no option --beem" "faults"

pages=("$root"/README.md "$root"/CONTRIBUTING.md "$root"/doc/*.md "$root"/doc/*/*.md "$root"/bench/history.md)
python3 "$check" "${pages[@]}" >faults || fail "$(<faults)"
holds "$(sed -n '$s/ pages.*//p' faults) >= 55"
holds "$(sed -n '$s/.*pages, \([0-9]*\) links.*/\1/p' faults) >= 400"
holds "$(sed -n '$s/.*options, \([0-9]*\) defaults.*/\1/p' faults) >= 40"

# Wordings that readers stumble over are found in comments, messages and pages, and there are none in the tree.
printf '%s\n' '/// The same for a row.' 'fail("the body is no JSON");' '// It tells of the card, behind the prefix.' >wordings.cpp
printf '%s\n' 'A page of plain sentences, about what is written behind a proxy.' >plain.md
if python3 "$root/regression-tests/wording.py" wordings.cpp plain.md >found; then fail "no wording is found"; fi
equal "$(sed -E "s/^([^:]*:[0-9]*): '(.*)'; .*/\1 \2/" found)" "wordings.cpp:1 /// The same
wordings.cpp:2 is no JSON
wordings.cpp:3 tells of
wordings.cpp:3 the card
wordings.cpp:3 behind the" "wordings"
python3 "$root/regression-tests/wording.py" >found || fail "$(<found)"

# The README is short, and every page can be reached from it within two clicks.
holds "$(wc -c <"$root/README.md") <= 9000"
grep -qF '](doc/README.md' "$root/README.md" || fail "the README does not link to the index"
for page in "$root"/doc/*.md "$root"/doc/*/*.md; do
  page=${page#"$root/doc/"}
  [[ $page == README.md ]] || grep -qE "\\]\\(${page//./\\.}[)#]" "$root/doc/README.md" || fail "doc/README.md does not list $page"
done

# The answers to common questions of newcomers can be reached within two clicks as well.
grep -qF '](doc/faq.md)' "$root/README.md" || fail "the README does not link to the questions"
for question in "fine-tune" "two GPUs" "BLEU 0" "repetitions" "best model" "HTML" "add a language" "model of Marian" "placeholders" "memory runs out" "resume" \
  "faster on a CPU" "over HTTP" "Hugging Face"; do
  grep -qE "^### .*$question" "$root/doc/faq.md" || fail "doc/faq.md does not answer: $question"
done
