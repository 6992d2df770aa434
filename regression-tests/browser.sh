# For cases that open a page in a real browser; sourced after lib.sh. They are skipped if there is no browser.
# shellcheck shell=bash
command -v python3 >/dev/null || skip "python3 is not installed"
browser=
for candidate in ${NMT_BROWSER:-chromium chromium-browser google-chrome}; do
  if command -v "$candidate" >/dev/null; then browser=$candidate && break; fi
done
[[ -n $browser ]] || skip "no Chromium here (NMT_BROWSER names another one)"

# Runs a Python program from standard input, which drives the browser with browser.py.
browse() { # [ARGUMENT...]
  NMT_BROWSER=$browser PYTHONDONTWRITEBYTECODE=1 PYTHONPATH=$(dirname "${BASH_SOURCE[0]}") timeout 120 python3 - "$@"
}
