#!/usr/bin/env bash
# The tests that `run.sh --quick` chooses: those of the files that differ from the main branch.
. "$(dirname "$0")/../lib.sh"
command -v git >/dev/null || skip "no git"
original=$(cd "$(dirname "$0")/../.." && pwd)
export root=$PWD/tree
mkdir -p tree/{src/metrics,src/cli/marian,tests}
cp "$original"/tests/CMakeLists.txt tree/tests
touch tree/src/metrics/code.cpp tree/src/cli/marian/model_table.cpp
. "$original"/regression-tests/touched.sh
cd tree
commit() { git add . && git -c user.name=t -c user.email=t@localhost commit -qm "$1"; }
git init -q . && commit first
echo >>src/metrics/code.cpp
echo >new.md
equal "$(touched_folders)" metrics "the folders of changed files"
equal "$(touched_cases)" bleu "the cases of changed files"
commit second
equal "$(touched_folders)" metrics "the folders of the last commit"
equal "$(touched_cases)" bleu "the cases of the last commit"
echo >>src/cli/marian/model_table.cpp
equal "$(touched_folders)" cli "the folders of changed files after a commit"
equal "$(touched_cases | paste -sd ' ')" "errors help marian" "the cases of a file of the command line"
for folder in $(folders_with_tests); do [[ -d $original/tests/$folder ]] || fail "no folder tests/$folder"; done
