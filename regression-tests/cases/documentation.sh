#!/usr/bin/env bash
# Links, options and form of the documentation. What its commands do is the case `documented`.
. "$(dirname "$0")/../lib.sh"
command -v python3 >/dev/null || skip "no python3"
root=$(cd "$(dirname "$0")/../.." && pwd)
check=$root/regression-tests/documentation.py
export PYTHONDONTWRITEBYTECODE=1

# Faults are found, each in its line, and nothing else is.
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
wrong.md:4: the link to none.md names no file
wrong.md:5: nmt train has no option --no-such-option
wrong.md:5: the link to other.md#none names no heading
wrong.md:6: nmt has no option --beem" "faults"

pages=("$root"/README.md "$root"/CONTRIBUTING.md "$root"/doc/*.md "$root"/doc/*/*.md "$root"/bench/history.md)
python3 "$check" "${pages[@]}" >faults || fail "$(<faults)"
holds "$(sed -n '$s/ pages.*//p' faults) >= 55"
holds "$(sed -n '$s/.*pages, \([0-9]*\) links.*/\1/p' faults) >= 400"

# The README is a page that a reader takes in, and every page is within two clicks of it.
holds "$(wc -c <"$root/README.md") <= 9000"
grep -qF '](doc/README.md' "$root/README.md" || fail "the README does not link to the index"
for page in "$root"/doc/*.md "$root"/doc/*/*.md; do
  page=${page#"$root/doc/"}
  [[ $page == README.md ]] || grep -qE "\\]\\(${page//./\\.}[)#]" "$root/doc/README.md" || fail "doc/README.md does not list $page"
done

# So are the answers to what newcomers ask.
grep -qF '](doc/faq.md)' "$root/README.md" || fail "the README does not link to the questions"
for question in "fine-tune" "two GPUs" "BLEU 0" "repetitions" "best model" "HTML" "placeholders" "memory runs out" "resume" \
  "faster on a CPU"; do
  grep -qE "^### .*$question" "$root/doc/faq.md" || fail "doc/faq.md does not answer: $question"
done
