#!/usr/bin/env bash
# Translates one part of a text, for workers on any number of machines that share its folder. Waits for a part that
# another worker is translating, and skips a finished one. The worker that finishes the last missing part joins all
# parts.
# usage: shard.sh I N INPUT OUTPUT OPTION...
#   I N        part I of N
#   OPTION...  options of nmt translate, including --model
# Parts are in OUTPUT.shards, which can be removed when OUTPUT exists. NMT names the program.
. "$(dirname "${BASH_SOURCE[0]}")/../lib.sh"
(($# >= 4)) || fail_usage "give the part, the number of parts, the input and the output"
index=$1 count=$2 input=$3 output=$4
shift 4
folder=$output.shards
part() { echo "$folder/$1-of-$count-${output##*/}"; }

# Parts of another translation must not be joined with these.
begin() {
  local work
  work=$(printf '%q ' "$count" "$(realpath "$input")" "$(stat -Lc '%s %Y' "$input")" "$@")
  if [[ ! -f $folder/work ]]; then echo "$work" >"$folder/work"; fi
  [[ $(<"$folder/work") == "$work" ]] ||
    fail "'$folder' holds parts of '$output' from another input, number of parts or settings; remove it"
}

put_together() {
  local i
  for ((i = 1; i <= count; ++i)); do
    [[ -f $(part "$i") ]] || return 0
  done
  # Compressed parts can be concatenated.
  for ((i = 1; i <= count; ++i)); do cat "$(part "$i")"; done >"$output.tmp"
  mv "$output.tmp" "$output"
  touch "$folder/done"
}

[[ -f $input ]] || fail "cannot find '$input'"
mkdir -p "$folder"
exec 8>"$folder/lock" 9>"$folder/$index.lock" # the system releases locks when a worker ends
flock 8
begin "$@"
flock --unlock 8
flock 9
if [[ ! -f $(part "$index") ]]; then
  "$nmt" translate "$@" --shard "$index/$count" --input "$input" --output "$(part "$index")" 8>&-
fi
flock 8
if [[ ! -f $folder/done ]]; then put_together; fi
