#!/usr/bin/env bash
# A few updates on Multi30k reduce the validation loss, and the sides of the pairs match.
. "$(dirname "$0")/../lib.sh"
data=${NMT_REFERENCE_DATA:-}/multi30k
[[ -f $data/train.en.xz ]] || skip "NMT_REFERENCE_DATA names no folder with multi30k"

nmt vocab -i "$data/train.en.xz" -i "$data/train.de.xz" -o shared.spm --size 4000 --quiet
nmt train --preset transformer-tiny --vocab shared.spm --source "$data/train.en.xz" --target "$data/train.de.xz" \
  --valid-source "$data/valid.en.xz" --valid-target "$data/valid.de.xz" \
  --batch-tokens 1500 --steps 60 --warmup 60 --valid-every 20 --valid-beam 0 --log-every 20 -o run --quiet
mapfile -t losses < <(sed -nE '/"valid"/ s/.*"loss": *([0-9.]+).*/\1/p' run/metrics.jsonl)
echo "validation loss: ${losses[*]}"
equal "${#losses[@]}" 3 "validations"
holds "${losses[1]} < ${losses[0]}"
holds "${losses[2]} < ${losses[1]}"
holds "${losses[2]} < 6"
