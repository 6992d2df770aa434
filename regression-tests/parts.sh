# Parts of the tests that take long and depend on some of the files. A part whose files are what they were when it last
# passed is left out, and a run says so. The file `passed` beside this one has a digest for each part: of its files, and of
# the compiler. Sourced by run.sh and .ci/run, with `root` set, and `full` to leave nothing out.
# shellcheck shell=bash disable=SC2154

passed_file=$root/regression-tests/passed

# The folders of src/ whose code is in the tests of one of them: that one, and those before it in src/CMakeLists.txt.
folders_up_to() { # FOLDER
  sed -n 's/^add_subdirectory(\(.*\))$/\1/p' "$root/src/CMakeLists.txt" | sed "/^$1\$/q"
}

# The folders that have a program of unit tests.
folders_with_tests() { sed -n 's/^nmt_test(\([a-z]*\) .*/\1/p' "$root/tests/CMakeLists.txt"; }

# All folders up to one, their tests, and what these may read besides.
tested_up_to() { # FOLDER
  folders_up_to "$1" | sed 's/.*/src\/&\ntests\/&/'
  printf '%s\n' tests/common tests/data tests/fixtures
}

# What backends include of src/common.
common_of_backends() {
  grep -rhoE '#include "common/[a-z_/]+' src/tensor src/backend | sort -u | sed 's/.*"\(.*\)/src\/\1.h\nsrc\/\1.cpp/'
}

# How tests are built and run goes into every part.
paths_of() { # PART
  printf '%s\n' .ci CMakeLists.txt CMakePresets.json cmake regression-tests/{parts,run}.sh {src,tests}/CMakeLists.txt
  case $1 in
    nvcc) printf '%s\n' src/backend/cuda src/tensor src/common/error.h ;;
    gpus) printf '%s\n' src/tensor src/backend tests/{backend,tensor,cuda,cuda_emulator} && common_of_backends ;;
    models-on-gpus)
      paths_of gpus
      printf '%s\n' {src,tests}/{graph,nn,optim,translate,train} src/engine/{gpu_shares,device_ranks}.{h,cpp} tests/fixtures \
        regression-tests/cases/cuda.sh
      ;;
    vectorised) printf '%s\n' src/backend/cpu src/tensor regression-tests/cases/vectorised.sh ;;
    threads) tested_up_to serve ;;
    address-fuzz) tested_up_to cli && echo tests/fuzz ;;
    address-api) tested_up_to api && echo include ;;
    address-*) tested_up_to "${1#address-}" ;;
  esac
}

host_compiler=$(c++ --version 2>/dev/null | sed -n 1p || true)
sanitizing_compiler=$(clang++ --version 2>/dev/null | sed -n 1p || true)
cuda_compiler=$(nvcc --version 2>/dev/null | tail -n 2 || true)
compilers_of() { # PART
  case $1 in
    nvcc) echo "$host_compiler, $cuda_compiler" ;;
    gpus | models-on-gpus | vectorised) echo "$host_compiler" ;;
    *) echo "$sanitizing_compiler" ;;
  esac
}

digest_of() { # PART
  local paths
  mapfile -t paths < <(cd "$root" && paths_of "$1")
  (
    cd "$root" || exit
    compilers_of "$1"
    # A path that is not there is a file that was taken away.
    find "${paths[@]}" -type f 2>/dev/null | LC_ALL=C sort -u | xargs sha256sum
  ) | sha256sum | cut -c 1-16
}

is_due() { # PART
  [[ $full ]] || ! grep -qxF "$1 $(digest_of "$1")" "$passed_file" 2>/dev/null
}

# Writes down that parts have passed.
record_passed() { # PART...
  local part others lines
  for part in "$@"; do
    others=$(grep -v "^$part " "$passed_file" 2>/dev/null || true)
    lines=$(printf '%s\n' "$others" "$part $(digest_of "$part")")
    LC_ALL=C sort -u <<<"$lines" | sed '/^$/d' >"$passed_file"
  done
}
