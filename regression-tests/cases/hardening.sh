#!/usr/bin/env bash
# The program is built with the protections that doc/security.md lists.
. "$(dirname "$0")/../lib.sh"
skip_sanitized "sanitizers take their place"
[[ -z ${NMT_COVERAGE:-} ]] || skip "a build for gcov goes without"
readelf --wide --headers --dynamic --notes --dyn-syms "$NMT" >elf || skip "no readelf here that reads the program"

has() { # PATTERN WHAT
  grep -Eq "$1" elf || fail "the program lacks $2"
}
has 'Type: +DYN' "a position that is drawn at each start (PIE)"
has 'GNU_RELRO' "tables of addresses that cannot be overwritten (RELRO)"
has 'FLAGS.*\bNOW\b' "symbols bound at the start (BIND_NOW)"
has 'GNU_STACK +.* RW +0x' "a stack that cannot be executed"
has '__stack_chk_fail@' "guards of the stack"
has '__[a-z]+_chk@' "checked functions of the C library (_FORTIFY_SOURCE)"
refuses 1 "the stack limit is 64 KiB, but nmt needs 256 KiB; raise it: ulimit -s 8192" \
  bash -c 'ulimit -s 64; exec "$0" --version' "$NMT"
if grep -Eq ' RWE +0x' elf; then fail "a segment can be both written and executed"; fi
