#!/usr/bin/env bash
# Builds a searchable site from README.md and doc/ with mkdocs-material, which is installed from PyPI into a virtual environment.
# usage: build.sh [DIR]     (default: build-doc/site; open DIR/index.html, or serve it: python3 -m http.server -d DIR)
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
work=$root/build-doc
site=$(realpath -m "${1:-$work/site}")
mkdir -p "$work"
if [[ ! -x $work/venv/bin/mkdocs ]]; then
  python3 -m venv "$work/venv"
  "$work/venv/bin/pip" install --quiet 'mkdocs-material>=9.5,<10'
fi
rm -rf "$work/pages"
python3 "$root/doc/collect.py" "$root" "$work/pages" "$site" >"$work/mkdocs.yml"
NO_MKDOCS_2_WARNING=1 "$work/venv/bin/mkdocs" build --strict --clean --config-file "$work/mkdocs.yml"
echo "$site/index.html"
