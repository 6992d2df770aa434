#!/usr/bin/env bash
# Translates a large text with several processes on this machine.
# usage: run.sh [--workers W] [--shards N] INPUT OUTPUT OPTION...
#   --workers W  processes at a time (default: 1 per 8 cores), which divide the cores
#   --shards N   parts of the text (default: 8 per worker); a failure loses one part
#   OPTION...    options of nmt translate, as in: run.sh test.en test.de --model model.safetensors --beam 4
# A part that fails is repeated up to twice. The same command continues later. NMT names the program.
. "$(dirname "${BASH_SOURCE[0]}")/../lib.sh"
workers=$((($(nproc) + 7) / 8)) shards=
while (($#)); do
  case $1 in
    --workers) workers=${2:-} && shift 2 ;;
    --shards) shards=${2:-} && shift 2 ;;
    --help | -h) usage && exit ;;
    *) break ;;
  esac
done
shards=${shards:-$((8 * workers))}
[[ $workers =~ ^[1-9][0-9]*$ && $shards =~ ^[1-9][0-9]*$ ]] || fail_usage "--workers and --shards must be whole numbers of at least 1"
(($# >= 2)) || fail_usage "give an input and an output"
output=$2
threads=$(($(nproc) / workers))

for ((try = 1; try <= 3; ++try)); do
  # xargs continues after a part that failed, unless its worker was killed.
  seq "$shards" | xargs -P "$workers" -I '{}' "${BASH_SOURCE[0]%/*}/shard.sh" '{}' "$shards" "$@" \
    --threads $((threads > 0 ? threads : 1)) && break
  step "try $try: some parts failed"
done
[[ -f $output.shards/done ]] || fail "some parts failed; the finished ones are in '$output.shards', and the same command continues"
rm -r "$output.shards"
