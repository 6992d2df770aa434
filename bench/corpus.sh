#!/usr/bin/env bash
# How memory and speed of packing and training depend on the size of the corpus: packs corpora of 0.1, 1 and 10 million
# pairs, made by repeating and perturbing a reference corpus, and trains on each for some updates.
# usage: NMT_REFERENCE_DATA=DIR bench/corpus.sh [MILLIONS...]
#   DIR contains en-de/train.en.xz and train.de.xz. Ten million pairs take 4 GB in the temporary directory (TMPDIR).
# Run it alone; needs the program and bench_packing: cmake -DNMT_BENCHMARKS=ON.
set -euo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
nmt=${NMT:-$root/build/nmt}
bench=$(dirname "$nmt")/bench/bench_packing
data=${NMT_REFERENCE_DATA:?names no folder with en-de/train.en.xz and train.de.xz}/en-de
sizes=("$@")
if ((${#sizes[@]} == 0)); then sizes=(0.1 1 10); fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"

# Prints PAIRS lines of a side. From the second repetition on, each line is cut and its halves are exchanged at another
# place, and a word names the repetition, so that no sentence occurs twice.
repeat() { # LANGUAGE PAIRS
  while xz -dc "$data/train.$1.xz"; do continue; done 2>/dev/null | awk -v pairs="$2" -v period="$period" '
    NR > pairs { exit }
    NR <= period || NF == 0 { print; next }
    {
      round = int((NR - 1) / period)
      cut = 1 + round % NF
      line = ""
      for (i = 0; i < NF; ++i) line = line $(1 + (cut + i) % NF) " "
      print line round
    }'
}

# Runs a command and prints a row: a name, seconds, CPU seconds of all threads, the maximum resident memory, and its
# part without mapped files. If PAIRS is not -, also pairs per second and per CPU second.
measure() { # WHAT PAIRS COMMAND...
  local begin=$EPOCHREALTIME pid key value status peak=0 anonymous=0 cpu=0
  "${@:3}" >out 2>err &
  pid=$!
  while [[ -r /proc/$pid/stat ]]; do
    while read -r key value _; do
      case $key in
        VmHWM:) peak=$value ;;
        RssAnon:) anonymous=$((value > anonymous ? value : anonymous)) ;;
      esac
    done 2>/dev/null <"/proc/$pid/status" || true
    if read -r -a status 2>/dev/null <"/proc/$pid/stat"; then cpu=$((status[13] + status[14])); fi
    sleep 0.1
  done
  wait "$pid" || { cat err >&2 && exit 1; }
  awk -v what="$1" -v pairs="$2" -v seconds="$(awk "BEGIN { print $EPOCHREALTIME - $begin }")" \
    -v cpu="$(awk "BEGIN { print $cpu / $(getconf CLK_TCK) }")" -v peak="$peak" -v anonymous="$anonymous" 'BEGIN {
      printf "%-30s %7.1f s %7.1f CPU s %6.0f MB %6.0f MB anonymous", what, seconds, cpu, peak / 1024, anonymous / 1024
      if (pairs != "-") printf "  %7.0f pairs/s %7.0f pairs/CPU s", pairs / seconds, pairs / cpu
      print ""
    }'
}

period=$(xz -dc "$data/train.en.xz" | wc -l)
"$nmt" vocab -i "$data/train.en.xz" -i "$data/train.de.xz" --size 16000 --sample-lines 200000 -o shared.spm --quiet
tiny=(train --preset transformer-tiny --batch-tokens 2000 --steps 20 --save-every 0 --quiet --overwrite -o run)

for size in "${sizes[@]}"; do
  pairs=$(awk "BEGIN { print int($size * 1000000) }")
  repeat en "$pairs" >text.en
  repeat de "$pairs" >text.de
  text=(--vocab shared.spm --source text.en --target text.de)
  echo "$size million pairs, $(du -BM --total text.en text.de | awk 'END { print $1 }') of text"
  measure "nmt batch" "$pairs" "$nmt" batch "${text[@]}" -o train.nmtc --quiet
  measure "nmt batch --drop-duplicates" "$pairs" "$nmt" batch "${text[@]}" -o train.nmtc --quiet --drop-duplicates
  measure "nmt batch train.nmtc" - "$nmt" batch train.nmtc
  cat out
  measure "nmt train on text" - "$nmt" "${tiny[@]}" "${text[@]}"
  measure "nmt train on train.nmtc" - "$nmt" "${tiny[@]}" --train train.nmtc
  NMT_BENCH_CORPUS=train.nmtc "$bench" 2>/dev/null
done
