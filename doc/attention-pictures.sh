#!/usr/bin/env bash
# Makes doc/pictures/attention-*.png of the page of nmt attention.
# usage: attention-pictures.sh MODEL TEXT LINES     NMT names the program (default: build/nmt); doc/annotated.md
#                                                   describes the model and the text
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
skip() { echo "error: $*" >&2 && exit 1; }
. "$root/regression-tests/browser.sh"

folder=$(mktemp -d)
trap 'rm -r "$folder"' EXIT
"${NMT:-$root/build/nmt}" attention -m "$1" --source "$2" --lines "$3" -o "$folder/page.html"
browse "$folder/page.html" "$root/doc/pictures" <<'EOF2'
import sys
from browser import Browser

page, folder = sys.argv[1:]
with Browser(1400, 860) as browser:
    browser.open(page)
    for theme in ("light", "dark"):
        browser.theme(theme)
        browser.hover(".token[data-row='3']")
        browser.evaluate("scrollTo(0, 0)")
        browser.screenshot(f"{folder}/attention-{theme}.png")
    browser.theme("light")
    browser.resize(420, 1240)
    browser.open(page)
    browser.click("[data-value='words']")
    browser.hover(".token[data-row='3']")
    browser.evaluate("scrollTo(0, 0)")
    browser.screenshot(f"{folder}/attention-narrow.png")
EOF2
