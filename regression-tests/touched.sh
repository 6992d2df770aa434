# The tests of a change: the unit tests of the folders with files that differ from the main branch (if there are none, from
# the previous commit), and the quick cases that use these files. Sourced by run.sh.
# shellcheck shell=bash disable=SC2154

differing_files() {
  local base
  base=$(git -C "$root" merge-base HEAD '@{upstream}' 2>/dev/null || git -C "$root" rev-parse HEAD)
  if git -C "$root" diff --quiet "$base" && [[ -z $(git -C "$root" ls-files --others --exclude-standard) ]]; then
    base=HEAD~1
  fi
  git -C "$root" diff --name-only "$base"
  git -C "$root" ls-files --others --exclude-standard
}

# The cases for a file, except those that take a minute or more.
cases_of() { # FILE
  local name
  case $1 in
    regression-tests/cases/*.sh) basename "$1" .sh ;;
    src/cli/*)
      echo help errors
      if [[ $1 == src/cli/marian/* ]]; then echo marian; fi
      name=$(basename "$1" | sed 's/\..*//; s/_.*//')
      if [[ -f $root/regression-tests/cases/$name.sh ]]; then echo "$name"; fi
      ;;
    src/common/*) echo errors outputs vocab ;;
    src/metrics/*) echo bleu ;;
    src/pictures/* | src/insight/*) echo plot report attention ;;
    src/http/* | src/serve/*) echo serve serve-page serve-page-tools serve-quality deepl glossary report ;;
    src/data/*) echo vocab batch score ;;
    src/tensor/* | src/backend/*) echo cpu-isa precision determinism ;;
    src/graph/* | src/nn/*) echo info convert determinism score ;;
    src/optim/* | src/train/*) echo signals determinism errors ;;
    src/translate/*) echo translate score forbid constraints glossary shortlist ;;
    src/api/* | include/* | examples/embed/*) echo embed ;;
    doc/* | README.md | bench/history.md) echo annotated documentation documented help marian ;;
    examples/*) echo quickstart ;;
  esac
}

touched_cases() {
  local file
  while read -r file; do cases_of "$file"; done < <(differing_files) | tr ' ' '\n' | sort -u
}

folders_with_tests() { sed -n 's/^nmt_test(\([a-z]*\) .*/\1/p' "$root/tests/CMakeLists.txt"; }

touched_folders() {
  differing_files | sed -nE 's/^(src|tests)\/([^\/]*)\/.*/\2/p' | sort -u | grep -xf <(folders_with_tests) || true
}
