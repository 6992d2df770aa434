#!/usr/bin/env bash
# Makes doc/pictures/serve-*.png of the page of nmt serve.
# usage: serve-pictures.sh NAME=MODEL     a model from English, such as en-de=FILE; NMT names the program (default: build/nmt)
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
skip() { echo "error: $*" >&2 && exit 1; }
. "$root/regression-tests/browser.sh"

log=$(mktemp)
"${NMT:-$root/build/nmt}" serve -m "${1:?usage: serve-pictures.sh NAME=MODEL}" --port 0 --device cpu 2>"$log" &
trap 'kill $!; rm -f "$log"' EXIT
until grep -q "all models are ready" "$log"; do kill -0 $! 2>/dev/null || skip "$(<"$log")" && sleep 0.1; done
browse "$(sed -n 's/.*listening on \(http:[^;]*\);.*/\1/p' "$log")" "$root/doc/pictures" <<'EOF2'
import pathlib
import sys
import tempfile
from browser import Browser

address, folder = sys.argv[1:]
text = "Two young men are sitting on a bench in the park.\n\nA brown dog runs through the snow. A woman in a red dress sings."
with Browser(1200, 720) as browser, tempfile.TemporaryDirectory() as documents:
    report = pathlib.Path(documents, "report.html")
    report.write_text(f"<p>{text}</p>")
    browser.open(address)
    browser.drop("h1", report)
    browser.wait("document.querySelector('#jobs button:not([hidden])')?.textContent === 'Download'")
    browser.click("#text")
    browser.call("Input.insertText", text=text)
    browser.wait("document.querySelectorAll('.word').length > 20")
    for theme in ("light", "dark"):
        browser.theme(theme)
        browser.hover(".word:nth-of-type(4)")
        browser.wait("document.querySelectorAll('#backdrop mark').length > 0")
        browser.screenshot(f"{folder}/serve-{theme}.png")
    browser.theme("light")
    browser.resize(420, 860)
    browser.screenshot(f"{folder}/serve-narrow.png")
EOF2
