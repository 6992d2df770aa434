# For cases that look at a page in a real browser; after lib.sh. They are skipped where there is none.
# shellcheck shell=bash
command -v python3 >/dev/null || skip "python3 is not installed"
browser=
for candidate in ${NMT_BROWSER:-chromium chromium-browser google-chrome}; do
  if command -v "$candidate" >/dev/null; then browser=$candidate && break; fi
done
[[ -n $browser ]] || skip "no Chromium here (NMT_BROWSER names another one)"

# Runs a program in Python from standard input, which drives the browser with browser.py.
browse() { # [ARGUMENT...]
  NMT_BROWSER=$browser PYTHONDONTWRITEBYTECODE=1 PYTHONPATH=$(dirname "${BASH_SOURCE[0]}") timeout 120 python3 - "$@"
}
