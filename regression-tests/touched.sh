# What a change touches: the folders whose unit tests look at the files that differ from the main branch (or, where
# nothing does, from the commit before), and the cases that drive them, without those that take long. Sourced by run.sh.
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

# The cases for a file, those of a minute and more left out.
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
    src/http/* | src/serve/*) echo serve serve-page report ;;
    src/data/*) echo vocab batch score ;;
    src/tensor/* | src/backend/*) echo cpu-isa precision determinism ;;
    src/graph/* | src/nn/*) echo info convert determinism score ;;
    src/optim/* | src/train/*) echo signals determinism errors ;;
    src/translate/*) echo translate score forbid constraints shortlist ;;
    src/api/* | include/* | examples/embed/*) echo embed ;;
    doc/* | README.md | bench/history.md) echo annotated documentation documented help marian ;;
    examples/*) echo quickstart ;;
  esac
}

touched_cases() {
  local file
  while read -r file; do cases_of "$file"; done < <(differing_files) | sort -u
}

touched_folders() {
  differing_files | sed -nE 's/^(src|tests)\/([^\/]*)\/.*/\2/p' | sort -u | grep -xf <(folders_with_tests) || true
}
