#!/usr/bin/env bash
# doc/annotated.md names only files, functions, options and pictures that exist.
. "$(dirname "$0")/../lib.sh"
root=$(cd "$(dirname "$0")/../.." && pwd)
page=$root/doc/annotated.md

# [`Struct::function`](../src/file): the file exists and contains the function.
grep -oE '\[[^]]+\]\([^)#]+\)' "$page" | sed -E 's/^\[(.*)\]\((.*)\)$/\1\t\2/' >links
holds "$(wc -l <links) > 40"
while IFS=$'\t' read -r text file; do
  [[ -e $root/doc/$file ]] || fail "no file $file"
  [[ $text == \`*\` && $text != */* ]] || continue
  name=${text//\`/}
  grep -qw -- "${name##*::}" "$root/doc/$file" || fail "$file has no $name"
done <links

# The pictures show what the commands next to them draw.
mkdir -p doc/pictures
grep -E '^nmt plot ' "$page" >plots
equal "$(wc -l <plots)" 5 "commands that draw"
while read -r _ arguments; do
  # shellcheck disable=SC2086
  nmt $arguments
done <plots
for picture in doc/pictures/*; do
  same "$picture" "$root/$picture"
  grep -qF "](${picture#doc/})" "$page" || fail "the page does not show $picture"
done

# All commands have the options that they are shown with.
grep -E '^nmt ' "$page" | while read -r _ command arguments; do
  nmt "$command" --help >help
  for option in $(grep -oE -- '--[a-z][a-z-]+' <<<"$arguments" || true); do
    grep -qE -- "(^|[ ,])$option\b" help || fail "nmt $command has no $option"
  done
done
nmt train --help >help
grep -oE -- '(\(|or |`)--[a-z][a-z-]+' "$page" | grep -oE -- '--.*' | sort -u | while read -r option; do
  grep -qE -- "(^|[ ,])$option\b" help || [[ $option == --type ]] || fail "nmt train has no $option"
done
