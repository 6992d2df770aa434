#!/usr/bin/env bash
# Runs all tests with the coverage build, and prints how many lines of src/ ran, by folder, and the files below 80 %.
# Needs gcovr, from the package of that name.
# usage: coverage.sh [CASE...]
set -euo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
command -v gcovr >/dev/null || { echo "error: no gcovr here: install the package gcovr" >&2 && exit 1; }
if [[ -d $root/build-coverage ]]; then find "$root/build-coverage" -name '*.gcda' -delete; fi
"$root/regression-tests/run.sh" --coverage "$@" >&2 || true
cd "$root"
gcovr --root . --filter src/ --object-directory build-coverage --csv - build-coverage |
  awk -F, '
    function row(name, lines, ran) { printf "| %s | %d | %d | %.1f %% |\n", name, lines, ran, 100 * ran / lines }
    function head(what) { printf "| %s | lines | ran | |\n|---|--:|--:|--:|\n", what }
    NR == 1 || $2 == 0 { next }
    {
      folder = $1
      sub("/[^/]*$", "/", folder)
      if (!(folder in lines)) order[++folders] = folder
      lines[folder] += $2; ran[folder] += $3; all += $2; all_ran += $3
      if ($3 < 0.8 * $2) low[++files] = $1
      file_lines[$1] = $2; file_ran[$1] = $3
    }
    END {
      head("folder")
      for (i = 1; i <= folders; ++i) row("`" order[i] "`", lines[order[i]], ran[order[i]])
      row("all", all, all_ran)
      print ""
      head("file below 80 %")
      for (i = 1; i <= files; ++i) row("`" low[i] "`", file_lines[low[i]], file_ran[low[i]])
    }'
