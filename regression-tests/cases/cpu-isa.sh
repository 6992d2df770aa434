#!/usr/bin/env bash
# Each instruction set can be forced, and all give the same results up to rounding.
. "$(dirname "$0")/../lib.sh"
make_model

sets=$(nmt info | sed -n 's/^instruction sets *//p')
[[ $sets == sse4_1* ]] || fail "the instruction sets of this machine are '$sets'"
scored=()
for isa in $sets; do
  # Sets that are only for other types are refused.
  nmt score -m model.safetensors --source test.src --target test.tgt --cpu-isa "$isa" >"$isa.scores" 2>"$isa.log" ||
    { grep -q "does not support precision f32" "$isa.log" && continue; } || fail "$isa: $(<"$isa.log")"
  scored+=("$isa")
  paste sse4_1.scores "$isa.scores" | awk '{ d = $1 - $2; if (d > 1e-3 || d < -1e-3) { print; exit 1 } }' ||
    fail "$isa and sse4_1 disagree"
done
holds "${#scored[@]} >= 1"
refuses 2 "cpu-isa" nmt score -m model.safetensors --source test.src --target test.tgt --cpu-isa mmx

# On a processor without AVX, which qemu emulates, nothing else needs it either.
if command -v qemu-x86_64 >/dev/null; then
  old() { qemu-x86_64 -cpu Nehalem "$NMT" "$@"; }
  old info | contains "^instruction sets *sse4_1$" || fail "an old processor has other instruction sets"
  for precision in f32 bf16 int8; do
    options=(-m model.safetensors --precision "$precision" --cpu-isa sse4_1 --scores --quiet)
    head -n 5 test.src | nmt translate "${options[@]}" >new.out
    head -n 5 test.src | old translate "${options[@]}" >old.out
    same old.out new.out
  done
fi
