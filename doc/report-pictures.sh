#!/usr/bin/env bash
# Makes doc/pictures/report-*.png of the page of nmt report, as it is served for runs that may go on meanwhile.
# usage: report-pictures.sh RUN...     NMT names the program (default: build/nmt); doc/report.md describes the runs
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
skip() { echo "error: $*" >&2 && exit 1; }
. "$root/regression-tests/browser.sh"

log=$(mktemp)
"${NMT:-$root/build/nmt}" report "$@" --watch --port 0 2>"$log" &
trap 'kill $!; rm -f "$log"' EXIT
until grep -q "look at " "$log"; do kill -0 $! 2>/dev/null || skip "$(<"$log")" && sleep 0.1; done
browse "$(sed -n 's/.*\(http:[^ ]*\).*/\1/p' "$log")" "$root/doc/pictures" <<'EOF2'
import sys
from browser import Browser

address, folder = sys.argv[1:]
with Browser(1400, 860) as browser:
    browser.open(address + "#smoothing=0.6")
    for theme in ("light", "dark"):
        browser.theme(theme)
        browser.hover('figure[data-figure="loss"] > svg', 0.35)
        browser.evaluate("scrollTo(0, 0)")
        browser.screenshot(f"{folder}/report-{theme}.png")
    browser.theme("light")
    browser.resize(420, 860)
    browser.wait("charts[0].total < 420")
    browser.screenshot(f"{folder}/report-narrow.png")
EOF2
