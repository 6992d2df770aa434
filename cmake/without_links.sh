#!/usr/bin/env bash
# Gives each library in a folder the name by which it is asked for, in the place of a link of that name.
# usage: without_links.sh LIBRARIES
set -euo pipefail
cd "$1"
for link in lib*; do
  if [[ -L $link ]]; then mv "$(readlink -f "$link")" "$link"; fi
done
