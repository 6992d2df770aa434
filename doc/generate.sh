#!/usr/bin/env bash
# Writes the page of each subcommand, doc/commands/NAME.md, from its table of settings.
# usage: generate.sh [DIR]     NMT names the program (default: build/nmt)
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
nmt=${NMT:-$root/build/nmt}
folder=${1:-$root/doc/commands}
mkdir -p "$folder"
while read -r command _; do
  "$nmt" "$command" --help=markdown >"$folder/$command.md"
done < <("$nmt" | sed -n 's/^  \([a-z]\)/\1/p')
