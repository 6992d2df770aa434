#!/usr/bin/env bash
# Installs what is missing, builds, runs the unit tests, then the cases that drive the program. The last line reads
# "N passed, M failed, K skipped"; exits 1 if anything failed.
# usage: run.sh [CASE...]     cases to run (default: all), as in: run.sh bleu translate
# Cases that need reference data look for it in NMT_REFERENCE_DATA and are skipped without it.
set -euo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
build=$root/build
passed=0 failed=0 skipped=0
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
export NMT=$build/nmt LC_ALL=C.UTF-8

finish() {
  echo "$passed passed, $failed failed, $skipped skipped"
  exit $((failed > 0))
}

build() {
  "$root/examples/install-packages.sh" || echo "going on with what is installed"
  (cd "$root" && cmake --preset default && cmake --build --preset default)
}

# A number among the attributes of the report's first element.
attribute() { # NAME
  sed -n "/<testsuite/,/>/ s/.*$1=\"\([0-9]*\)\".*/\1/p" "$scratch/units.xml"
}

unit_tests() {
  local status=0 missed
  ctest --test-dir "$build" --parallel "$(nproc)" --output-on-failure --output-junit "$scratch/units.xml" || status=$?
  if [[ -f $scratch/units.xml ]]; then
    missed=$(($(attribute skipped) + $(attribute disabled)))
    failed=$((failed + $(attribute failures)))
    skipped=$((skipped + missed))
    passed=$((passed + $(attribute tests) - $(attribute failures) - missed))
  fi
  # Whatever kept ctest itself from its work counts as one failure.
  if ((status != 0 && failed == 0)) || ((passed == 0)); then failed=$((failed + 1)); fi
}

run_case() { # SCRIPT
  local name status=0 begin=$SECONDS
  name=$(basename "$1" .sh)
  mkdir "$scratch/$name"
  (cd "$scratch/$name" && exec bash "$1") </dev/null >"$scratch/$name.log" 2>&1 || status=$?
  case $status in
    0) passed=$((passed + 1)) && echo "passed   $name ($((SECONDS - begin)) s)" ;;
    77) skipped=$((skipped + 1)) && echo "skipped  $name: $(tail -n 1 "$scratch/$name.log")" ;;
    *) failed=$((failed + 1)) && echo "FAILED   $name, exit code $status" && tail -n 50 "$scratch/$name.log" ;;
  esac
  rm -rf "${scratch:?}/$name"
}

if ! build; then
  failed=1
  finish
fi
if (($# == 0)); then unit_tests; fi
names=("${@:-*}")
for name in "${names[@]}"; do
  for script in "$root"/regression-tests/cases/$name.sh; do run_case "$script"; done
done
finish
