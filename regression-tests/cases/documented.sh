#!/usr/bin/env bash
# The commands and requests of the README and doc/ work, and errors in a page are detected.
. "$(dirname "$0")/../lib.sh"
skip_sanitized "other cases try the same"
root=$(cd "$(dirname "$0")/../.." && pwd)
for program in python3 curl; do command -v "$program" >/dev/null || skip "no $program"; done
export PYTHONDONTWRITEBYTECODE=1
if PYTHONPATH=${NMT%/*}/python python3 -c 'import nmt, numpy' 2>/dev/null; then
  export DOCUMENTED_PYTHON=yes PYTHONPATH=${NMT%/*}/python
fi

# Planted errors are found, each in its line.
mkdir wrong pages
cat >wrong/wrong.md <<'END'
`nmt train --no-such-option` and `nmt train --steps 3`

```
nmt translate -m model.safetensors --beem 4 < test.en
nmt translate -m model.safetensors \
  --beam 2 < test.en > out
curl localhost:8080/v1/translate -d '{"text": "a", "bean": 2}'
```

```
{"text": "A dog runs.", "beam": 2}
{"text": "A dog runs.", "beam": 200}
```

```console
$ cat lines
A dog runs.
$ nmt translate -m model.safetensors < lines |
    grep -c no-such-text
1
```
END
if (cd wrong && python3 "$root/regression-tests/documented.py" wrong.md) >found; then fail "nothing is found to be wrong"; fi
equal "$(grep -o '^wrong.md:[0-9]*' found | tr '\n' ' ')" \
  'wrong.md:4 wrong.md:7 wrong.md:12 wrong.md:18 wrong.md:1 ' "lines of what is wrong"
equal "$(tail -n 1 found)" "9 run, 5 failed, 0 left out"

cd pages
python3 "$root/regression-tests/documented.py" "$root/README.md" "$root"/doc/*.md "$root"/doc/tutorials/*.md >../told || fail "$(<../told)"
tail -n 1 ../told
holds "$(sed -n '$s/ run.*//p' ../told) >= 100"
