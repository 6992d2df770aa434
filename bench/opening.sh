#!/usr/bin/env bash
# Time and memory of opening a model of about 300 MB in the formats of all toolkits that nmt writes: nmt translate without
# input, on one thread. Prints the median of the seconds and of the peak memory in MB, of which pages of files are a part.
#
#   NMT_REFERENCE_DATA=DIR bench/opening.sh [PROGRAM...]
#
# DIR contains multi30k/train.en.xz and train.de.xz. PROGRAM: an nmt (default: build/nmt); several take turns, and the
# first makes the models. ROUNDS sets the number of turns.
set -euo pipefail
here=$(dirname "$(realpath "$0")")
data=$(realpath "${NMT_REFERENCE_DATA:?names no folder with multi30k/train.en.xz and train.de.xz}")/multi30k
programs=("$@")
if ((${#programs[@]} == 0)); then programs=("$here/../build/nmt"); fi
mapfile -t programs < <(realpath "${programs[@]}")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"

make_models() { # PROGRAM
  xz -dc "$data/train.en.xz" >train.en
  xz -dc "$data/train.de.xz" >train.de
  "$1" vocab -i train.en -i train.de --size 16000 --type bpe -o shared.spm --quiet
  "$1" train --preset transformer-base --encoder-layers 9 --decoder-layers 9 --norm post --positions tensor2tensor \
    --decoder-start zero --vocab shared.spm --source train.en --target train.de --steps 1 --batch-tokens 300 --warmup 1 \
    --save-every 0 -o run --quiet
  mv run/last.safetensors nmt.safetensors
  rm -r run
  for toolkit in marian huggingface ctranslate2; do "$1" convert -m nmt.safetensors --to "$toolkit" -o "$toolkit" --quiet; done
  for precision in f16 int8; do
    "$1" convert -m nmt.safetensors --to ctranslate2 --precision "$precision" -o "ctranslate2-$precision" --quiet
  done
}

median() { sort -g | awk '{ value[NR] = $1 } END { print value[int((NR + 1) / 2)] }'; }

measure() { # MODEL PRECISION
  local program round
  for ((round = 0; round < ${ROUNDS:-5}; ++round)); do
    for program in "${!programs[@]}"; do
      command time -f '%e %M' -a -o "$program.times" \
        "${programs[program]}" translate -m "$1" --precision "$2" --threads 1 --quiet </dev/null
    done
  done
  for program in "${!programs[@]}"; do
    printf '%-18s %-5s %5.2f s %5.0f MB  %s\n' "$1" "$2" "$(cut -d ' ' -f 1 "$program.times" | median)" \
      "$(cut -d ' ' -f 2 "$program.times" | median | awk '{ print $1 / 1024 }')" "${programs[program]}"
    rm "$program.times"
  done
}

make_models "${programs[0]}"
for model in nmt.safetensors marian huggingface ctranslate2 ctranslate2-f16 ctranslate2-int8; do
  for precision in f32 int8; do measure "$model" "$precision"; done
done
