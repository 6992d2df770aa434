#!/usr/bin/env bash
# Every loop over elements in the CPU kernels is vectorized in the full width of its instruction set. Such a loop is an
# innermost `for (std::int64_t i = ...; ++i)` that contains `[i]`, unless a comment above it begins with "scalar".
# Matrix products of bf16 and i8, in their own folders, use vectors explicitly.
. "$(dirname "$0")/../lib.sh"
skip_sanitized "loops are not vectorized there"
[[ -z ${NMT_COVERAGE:-} ]] || skip "loops are not vectorized in a build for gcov"
kernels=src/backend/cpu/kernels
build=$(dirname "$NMT")
commands=$build/compile_commands.json
[[ -f $commands ]] || skip "no $commands, which tells how kernels are compiled"

# Prints lines "avx2 32 COMMAND" for the sources of the kernels.
sed -n 's/^ *"command": "\(.*\)",$/\1/p' "$commands" | sed 's/\\\(["\\]\)/\1/g; s/ -o [^ ]*/ -o \/dev\/null/' |
  sed -n "/$(sed 's/\//\\\//g' <<<"$kernels")\/[a-z_]*\.cpp/s/.*NMT_ISA=\([a-z0-9_]*\).*NMT_VECTOR_BYTES=\([0-9]*\).*/\1 \2 &/p" >compiled
sed -i '/^sse4_1/d' compiled # for old processors, where long functions are not vectorized, since multiply-adds are in f64
[[ -s compiled ]] || fail "no kernels in $commands"
read -r _ _ first <compiled
compiler=$(grep -oE '[^ ]*(\+\+|cc|clang)[-0-9.]*( |$)' <<<"$first" | grep -v '\(^\|\/\)ccache \?$' | sed -n 1p)
$compiler --version | contains 'Free Software Foundation' || skip "$compiler is not g++, which reports what it vectorizes"

# The loops that should be vectorized: "FILE:LINE: TEXT".
root=$(cd "$(dirname "$0")/../.." && pwd)
awk '
  function close_until(indent) {
    for (; depth > 0 && indent <= column[depth]; --depth)
      if (innermost[depth] && wanted[depth] && index(body[depth], "[" name[depth] "]") > 0) print start[depth]
  }
  FNR == 1 { close_until(0) }
  /^ *$/ || /^#/ { next }
  { match($0, /^ */); close_until(RLENGTH) }
  /^ *(for|while) \(/ {
    for (d = 1; d <= depth; ++d) innermost[d] = 0
    column[++depth] = RLENGTH
    innermost[depth] = 1
    wanted[depth] = match($0, /for \(std::int64_t [a-z_]+ = .*; \+\+[a-z_]+\)/) && before !~ /^ *\/\/ scalar/
    name[depth] = $3
    if (name[depth] == "lane") wanted[depth] = 0 # of one vector
    start[depth] = FILENAME ":" FNR ": " $0
    body[depth] = ""
  }
  { for (d = 1; d <= depth; ++d) body[d] = body[d] $0; before = $0 }
  END { close_until(0) }' "$root/$kernels"/*.cpp "$root/$kernels"/*.h >wanted
[[ -s wanted ]] || fail "found no loops in $kernels"

# The loops that are, by the compiler's report on each source. Some sources use loops of headers.
sources=0
while read -r isa bytes command; do
  printf '%s\0' "$command -w -fopt-info-vec-loop-optimized 2>&1 | sed 's/^/$isa $bytes /' >$((++sources)).report"
done <compiled | xargs -0 -P "$(nproc)" -n 1 bash -c
cat ./*.report >reports
for isa in $(cut -d ' ' -f 1 compiled | sort -u); do
  awk -v isa="$isa" '
    FNR == NR {
      if ($1 != isa) next
      split($3, place, ":")
      if (index($0, "loop vectorized using " $2 " byte vectors") || /library call/) done[place[1] ":" place[2]] = 1
      next
    }
    { split($1, place, ":") }
    !((place[1] ":" place[2]) in done)' reports wanted >scalar
  [[ ! -s scalar ]] || fail "not vectorized for $isa: $(<scalar)"
done
