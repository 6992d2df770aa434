#!/usr/bin/env bash
# Copies the license of each library in a folder: that of the package of the system which it came from.
# usage: licenses.sh LIBRARIES DIR
set -euo pipefail
libraries=$1 out=$2
command -v dpkg >/dev/null || exit 0 # whoever builds elsewhere knows where licenses are
mkdir -p "$out"
find "$libraries" -type f -name 'lib*.so.*' -printf '%f\n' | while read -r library; do
  package=$(dpkg --search "*/$(uname -m)-linux-gnu/$library" | sed -n 's/^\([^:, ]*\).*/\1/p' | head -n 1)
  cp "/usr/share/doc/$package/copyright" "$out/$package"
done
