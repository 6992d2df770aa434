#!/usr/bin/env bash
# Writes what shells and `man` know of the program, as it lies under share/: a page for each subcommand, completion for
# bash, fish and zsh. All of it comes from the tables of settings.
# usage: shell.sh PROGRAM DIR
set -euo pipefail
nmt=$1 share=$2

form() { # FORM FILE [SUBCOMMAND]
  mkdir -p "$share/${2%/*}"
  "$nmt" "${@:3}" --help="$1" >"$share/$2"
}

form bash bash-completion/completions/nmt
form fish fish/vendor_completions.d/nmt.fish
form zsh zsh/site-functions/_nmt
form man man/man1/nmt.1
while read -r command _; do
  form man "man/man1/nmt-$command.1" "$command"
done < <("$nmt" | sed -n 's/^  \([a-z]\)/\1/p')
