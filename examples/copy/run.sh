#!/usr/bin/env bash
# The copy task of The Annotated Transformer: a model learns to repeat random symbols, then copies sequences that
# it has not seen. Prints the percentage copied exactly; exits 1 unless it is 100.
# usage: run.sh [--out DIR]
. "$(dirname "${BASH_SOURCE[0]}")/../lib.sh"

out=$root/out/copy

while (($# > 0)); do
  case $1 in
    --out) out=${2:?--out needs a folder} && shift 2 ;;
    -h | --help) usage && exit 0 ;;
    *) fail_usage "unknown option '$1'" ;;
  esac
done

# Prints distinct sequences of one to ten of ten symbols; Park and Miller's generator gives the same ones everywhere.
sequences() { # SEED COUNT
  awk -v state="$1" -v count="$2" '
    function draw(n) { state = state * 16807 % 2147483647; return state % n }
    BEGIN {
      while (written < count) {
        line = ""
        for (i = 1 + draw(10); i > 0; --i) line = line (line == "" ? "" : " ") substr("abcdefghij", 1 + draw(10), 1)
        if (!(line in seen)) { seen[line]; print line; ++written }
      }
    }'
}

build default
mkdir -p "$out"
sequences 17 10200 >"$out/all"
head -n 10000 "$out/all" >"$out/train"
tail -n 200 "$out/all" >"$out/unseen"

"$nmt" vocab -i "$out/train" -o "$out/symbols.spm" --type word --size 13
"$nmt" train --preset transformer-tiny --vocab "$out/symbols.spm" --source "$out/train" --target "$out/train" \
  --dropout 0 --batch-tokens 1000 --learning-rate 0.5 --warmup 400 --steps 1200 --save-every 0 --log-every 100 \
  -o "$out/run" --overwrite
"$nmt" translate -m "$out/run/last.safetensors" <"$out/unseen" >"$out/copied"

paste -d '\t' "$out/unseen" "$out/copied" |
  awk -F '\t' '$1 == $2 { ++same } END { printf "%.1f %% of %d unseen sequences copied exactly\n", 100 * same / NR, NR
                                         exit same != NR }'
