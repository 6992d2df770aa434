#!/usr/bin/env bash
# Each instruction set can be forced, and all give the same results up to rounding.
. "$(dirname "$0")/../lib.sh"
grep -qw avx512f /proc/cpuinfo || skip "this machine has no AVX-512"
make_model

for isa in avx2 avx512; do
  nmt score -m model.safetensors --source test.src --target test.tgt --cpu-isa $isa >$isa.scores
done
paste avx2.scores avx512.scores | awk '{ d = $1 - $2; if (d > 1e-3 || d < -1e-3) { print; exit 1 } }' ||
  fail "the instruction sets disagree"
refuses 2 "cpu-isa" nmt score -m model.safetensors --source test.src --target test.tgt --cpu-isa mmx
