#!/usr/bin/env bash
# Installs what is missing, builds, runs the unit tests, then the cases that drive the program. The last line reads
# "N passed, M failed, K skipped"; exits 1 if anything failed.
# usage: run.sh [--sanitize|--coverage|--arm64] [--units] [CASE...]
#        run.sh --quick
#   CASE...      cases to run instead of everything, as in: run.sh bleu translate
#   --quick      only the tests of the files that differ from the main branch (touched.sh)
#   --units      the unit tests alone
#   --coverage   with the build that counts lines; regression-tests/coverage.sh makes a table of them
#   --arm64      what depends on the processor, built for AArch64 and run by qemu
#   --sanitize   with the address and undefined-behavior sanitizers, and the tests of threads with that for threads
# Cases that need reference data look for it in NMT_REFERENCE_DATA and are skipped without it.
set -euo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
presets=(default)
units=yes cases=('*') packages=() quick=''
export NMT=$root/build/nmt LC_ALL=C.UTF-8
while (($# > 0)); do
  case $1 in
    --sanitize)
      presets=(debug thread) packages=(clang libclang-rt-dev llvm) # whose symbolizer names the lines of a report
      export NMT=$root/build-debug/nmt NMT_SANITIZED=1 UBSAN_OPTIONS=print_stacktrace=1
      ;;
    --coverage)
      presets=(coverage)
      export NMT=$root/build-coverage/nmt NMT_COVERAGE=1
      ;;
    --arm64)
      presets=(arm64) packages=(--arm64)
      cases=(arm64)
      export NMT=$root/regression-tests/arm64-nmt
      ;;
    --quick) quick=yes ;;
    --units) cases=() ;;
    -*) echo "usage: run.sh [--sanitize|--coverage|--arm64] [--units] [CASE...]" >&2 && exit 2 ;;
    *) units='' presets=("${presets[0]}") cases=("$@") && break ;;
  esac
  shift
done
# shellcheck source=regression-tests/touched.sh
. "$root/regression-tests/touched.sh"
passed=0 failed=0 skipped=0
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
export NMT_SHARED_MODEL=$scratch/model

finish() {
  echo "$passed passed, $failed failed, $skipped skipped"
  exit $((failed > 0))
}

in_root() { # PRESET COMMAND...
  local prefix=()
  # The thread sanitizer of g++ 12 does not start where addresses are drawn from a wider range than it knows.
  if [[ $1 == thread ]] && setarch --addr-no-randomize true 2>/dev/null; then prefix=(setarch --addr-no-randomize); fi
  (cd "$root" && exec "${prefix[@]}" "${@:2}")
}

build() { # PRESET [TARGET...]
  local targets=("${@:2}")
  if ((${#targets[@]} > 0)); then targets=(--target "${targets[@]}"); fi
  in_root "$1" cmake --preset "$1" && in_root "$1" cmake --build --preset "$1" "${targets[@]}"
}

leave_out() { # WHAT WHY
  echo "SKIPPED: $1: $2"
  skipped=$((skipped + 1))
}

# A number among the attributes of the report's first element.
attribute() { # NAME
  sed -n "/<testsuite/,/>/ s/.*$1=\"\([0-9]*\)\".*/\1/p" "$scratch/units.xml"
}

unit_tests() { # PRESET OPTION-OF-CTEST...
  local status=0 tests missed broken reports=$root/build-$1/results
  rm -rf "$scratch/units.xml" "$reports"
  in_root "$1" ctest --preset "$1" --parallel "$(nproc)" --output-junit "$scratch/units.xml" "${@:2}" || status=$?
  if [[ -f $scratch/units.xml ]]; then
    tests=$(attribute tests) missed=$(($(attribute skipped) + $(attribute disabled))) broken=$(attribute failures)
    if [[ -d $reports ]]; then count_within "$reports"; fi
    failed=$((failed + broken))
    skipped=$((skipped + missed))
    passed=$((passed + tests - broken - missed))
  fi
  # Anything that kept ctest itself from its work counts as one failure.
  if ((status != 0 && failed == 0)) || ((passed == 0)); then failed=$((failed + 1)); fi
}

# Where ctest ran parts of programs, which wrote reports, the tests in them count. One that did not come to its report
# is one of the failures already.
count_within() { # FOLDER
  local all within
  all=$(cat "$1"/*.xml)
  tests=$(grep -c ' status="run"' <<<"$all")
  missed=$(grep -c '<skipped' <<<"$all" || true)
  within=$(($(sed -n 's/^<testsuites .* failures="\([0-9]*\)".*/\1/p' <<<"$all" | paste -sd+)))
  if ((within > broken)); then broken=$within; fi
}

# Its result goes to the file "results" in a line that begins with one of passed, skipped and FAILED.
# Where this was started in the background, SIGINT is ignored; cases send it.
run_case() { # SCRIPT
  local name folder status=0 begin=$SECONDS result
  name=$(basename "$1" .sh)
  folder=$(mktemp -d "$scratch/$name.XXXX")
  (cd "$folder" && exec env --default-signal bash "$1") </dev/null >"$folder.log" 2>&1 || status=$?
  case $status in
    0) result="passed   $name ($((SECONDS - begin)) s)" ;;
    77) result="skipped  $name: $(tail -n 1 "$folder.log")" ;;
    *) result="FAILED   $name, exit code $status" ;;
  esac
  echo "$result" | tee -a "$scratch/results"
  if [[ $result == FAILED* ]]; then tail -n 50 "$folder.log"; fi
  rm -rf "$folder"
}

# The cases. The slow ones come first, so that none of them is still running alone at the end.
case_scripts() {
  local name scripts slow='/(cuda|documented|faults|kills|long-lines|memory|multi30k|pipeline|ranks|resume|train)\.sh$'
  scripts=$(for name in "${cases[@]}"; do printf '%s\n' "$root"/regression-tests/cases/$name.sh; done)
  grep -E "$slow" <<<"$scripts" || true
  grep -vE "$slow" <<<"$scripts" || true
}

# One case more at a time than there are processors, since there is one that mostly waits.
run_cases() { # SCRIPT...
  local script
  touch "$scratch/results"
  for script in "$@"; do
    while (($(jobs -pr | wc -l) > $(nproc))); do wait -n || true; done
    run_case "$script" &
  done
  wait
  passed=$((passed + $(grep -c ^passed "$scratch/results" || true)))
  skipped=$((skipped + $(grep -c ^skipped "$scratch/results" || true)))
  failed=$((failed + $(grep -c ^FAILED "$scratch/results" || true)))
}

# Everything. Without the CUDA Toolkit, the tests that need it are skipped.
test_default() {
  local exclude='/(Parity|Invariants|Runs)\..*/cuda_|_NOT_BUILT'
  build default cases unit_tests cuda_plugin emulated_gpu gpu_tests || return
  if [[ ! -f $root/build/lib/libnmt_cuda.so ]]; then
    leave_out "the CUDA backend, compiled by nvcc" "there is no nvcc that works with this compiler"
  fi
  if [[ ! -f $root/build/tests/lib/libnmt_cuda.so ]]; then
    leave_out "tests on emulated GPUs" "there is no CUDA Toolkit"
    exclude+='|cuda|OnGpus'
  fi
  unit_tests default --exclude-regex "$exclude"
}

test_debug() {
  local targets=(unit_tests)
  if ((${#cases[@]} > 0)); then targets+=(cases); fi
  # The libraries of CUDA lose memory of their own.
  build debug "${targets[@]}" && unit_tests debug --exclude-regex '^test_cuda_'
}

test_thread() { build thread && unit_tests thread; }

# Kernels, on processors that have and that lack each of their extensions. The cases compare with the usual build.
test_arm64() {
  build default nmt && build arm64 nmt test_backend test_tensor || return
  QEMU_CPU=max unit_tests arm64
  QEMU_CPU=neoverse-n1 GTEST_FILTER='*dotprod*' unit_tests arm64 --tests-regex test_backend
  QEMU_CPU=cortex-a72 GTEST_FILTER='*Products*:*Parity*f32_neon_1_*' unit_tests arm64 --tests-regex test_backend
}

test_coverage() { build coverage && unit_tests coverage; }

# What is touched, but for GPUs.
test_quickly() {
  local folders
  mapfile -t folders < <(touched_folders)
  mapfile -t cases < <(touched_cases)
  leave_out "all else than unit tests of ${folders[*]:-nothing} and the cases ${cases[*]:-(none)}" "what differs touches no more"
  build default cases "${folders[@]/#/test_}" || return
  if ((${#folders[@]} > 0)); then
    unit_tests default --label-regex "^test_($(IFS='|' && echo "${folders[*]}"))\$" --exclude-regex 'cuda|OnGpus|_NOT_BUILT'
  fi
}

# What cases that are named take.
build_for_cases() { # PRESET
  local targets=(cases)
  if [[ " ${cases[*]} " == *' cuda '* ]]; then targets+=(emulated_gpu); fi
  build "$1" "${targets[@]}"
}

"$root/examples/install-packages.sh" "${packages[@]}" || echo "continuing with the installed packages"
for preset in "${presets[@]}"; do
  if [[ $quick ]]; then step=(test_quickly); elif [[ $units ]]; then step=(test_"$preset"); else step=(build_for_cases "$preset"); fi
  if ! "${step[@]}"; then
    failed=$((failed + 1))
    finish
  fi
done
if ((${#cases[@]} > 0)); then
  mapfile -t scripts < <(case_scripts)
  run_cases "${scripts[@]}"
fi
finish
