#!/usr/bin/env bash
# A test run skips the parts whose files are unchanged since they passed, and nothing else.
. "$(dirname "$0")/../lib.sh"
command -v git >/dev/null || skip "no git"
original=$(cd "$(dirname "$0")/../.." && pwd)
export root=$PWD/tree full=''
# A small tree of the same structure.
mkdir -p tree/{.ci,cmake,regression-tests/cases,src/backend/cuda/kernels/products,src/cli/options/help,tests/{fixtures,fuzz,cuda_emulator}}
cp "$original"/regression-tests/{parts,touched,run}.sh tree/regression-tests
cp "$original"/src/CMakeLists.txt tree/src
cp "$original"/tests/CMakeLists.txt tree/tests
cd tree
for folder in $(sed -n 's/^add_subdirectory(\(.*\))$/\1/p' src/CMakeLists.txt); do
  mkdir -p src/$folder tests/$folder
  echo "$folder" | tee src/$folder/code.cpp >tests/$folder/code_test.cpp
done
for file in .ci/run CMakeLists.txt CMakePresets.json cmake/library.cmake src/backend/cuda/kernels/products/linear.cu src/common/error.h \
  src/common/text.h src/tensor/backend.h src/cli/options/help/help.h regression-tests/cases/{cuda,vectorised,translate}.sh; do
  echo "$file" >$file
done
echo '#include "common/error.h"' >>src/tensor/backend.h
cd ..
. tree/regression-tests/parts.sh
. tree/regression-tests/touched.sh

mapfile -t parts < <(printf '%s\n' nvcc gpus models-on-gpus vectorised threads &&
  folders_with_tests | sed 's/^/address-/')
due() { # the parts that are, in their order
  local part
  for part in "${parts[@]}"; do if is_due "$part"; then echo "$part"; fi; done | paste -sd ' '
}
changes() { # FILE PARTS: what its change makes due, and nothing once it is undone
  echo >>"tree/$1"
  equal "$(due)" "$2" "what $1 makes due"
  sed -i '$d' "tree/$1"
  equal "$(due)" "" "what is due once $1 is as it was"
}
equal "$(due)" "${parts[*]}" "what is due before anything has passed"
record_passed "${parts[@]}"
equal "$(due)" "" "what is due after all has passed"
equal "$(export full=yes && due)" "${parts[*]}" "what is due where nothing is left out"
for file in .ci/run cmake/library.cmake regression-tests/run.sh; do changes $file "${parts[*]}"; done
changes src/cli/code.cpp 'address-cli address-fuzz'
changes tests/cli/code_test.cpp 'address-cli address-fuzz'
changes src/train/code.cpp 'models-on-gpus threads address-api address-train address-engine address-serve address-insight address-cli address-fuzz'
changes src/backend/cuda/kernels/products/linear.cu "nvcc gpus models-on-gpus threads address-backend address-ranks \
address-graph address-nn address-foreign address-optim address-translate address-api address-train address-engine address-serve \
address-insight address-cli address-fuzz"
changes src/common/error.h "$(printf '%s\n' "${parts[@]}" | grep -v vectorised | paste -sd ' ')"
changes src/common/text.h "$(printf '%s\n' "${parts[@]:4}" | paste -sd ' ')"
rm tree/src/cli/options/help/help.h
equal "$(due)" 'address-cli address-fuzz' "what a file that is gone makes due"
record_passed address-cli
equal "$(due)" 'address-fuzz' "what is due after one of two has passed"

# Folders and cases are selected by the files that differ.
cd tree
git init -q . && git add . && git -c user.name=t -c user.email=t@localhost commit -qm first
echo >>src/metrics/code.cpp
echo >new.md
equal "$(touched_folders)" metrics "folders touched"
equal "$(touched_cases)" bleu "cases touched"
git add . && git -c user.name=t -c user.email=t@localhost commit -qm second
equal "$(touched_folders)" metrics "folders touched by the last commit"
