#!/usr/bin/env bash
# The Python module works like the program, and its examples run.
. "$(dirname "$0")/../lib.sh"
skip_sanitized "Python is without them"
root=$(cd "$(dirname "$0")/../.." && pwd)
export PATH=${NMT%/*}:$PATH PYTHONPATH=${NMT%/*}/python PYTHONDONTWRITEBYTECODE=1
[[ -d $PYTHONPATH ]] || skip "the module was not built: Python has no nanobind"
python3 -c 'import pytest' 2>/dev/null || skip "no pytest in python3"
python3 -c 'import nmt' || fail "cannot be imported, or python3 is not the one that it was built for"
make_model

NMT_TEST_FOLDER=$PWD python3 -m pytest -q -p no:cacheprovider "$root/tests/python" --doctest-modules "$PYTHONPATH/nmt" >tested ||
  fail "$(<tested)"

python3 "$root/examples/python/first_steps.py" train.src train.tgt test.src test.tgt steps size=40 steps=20 warmup=10 d_model=32 \
  device=cpu >told || fail "$(<told)"
grep -q '^update 20: perplexity ' told || fail "no updates are told: $(<told)"
grep -q '^BLEU|nrefs:1|.* = ' told || fail "no BLEU is told: $(<told)"
[[ -f steps/first_steps.png ]] || grep -q '^no pictures' told || fail "no picture, and no reason: $(<told)"
