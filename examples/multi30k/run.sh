#!/usr/bin/env bash
# Multi30k, English to German, from text to BLEU: vocabulary, training, averaging the last checkpoints, translating
# test2016 and test2017, scoring.
# usage: run.sh [--data DIR] [--out DIR] [--minutes N]
#   --data DIR   folder with train, valid and test2016 as .en and .de, plain, .gz or .xz (default: downloaded)
#   --out DIR    folder for all results (default: out/multi30k); a second call repeats only what has changed
#   --minutes N  maximum time for training (default: about 25, on a slow machine up to 120); the model is chosen by
#                the speed of the first updates
. "$(dirname "${BASH_SOURCE[0]}")/../lib.sh"
. "$(dirname "${BASH_SOURCE[0]}")/../plan.sh"

out=$root/out/multi30k
usual=25   # minutes of training
averaged=8 # checkpoints

# The BLEU is that of test2016.
levels='small 1800 3600 1 1800:34 3600:38
tiny 700 700 4 700:29'

while (($# > 0)); do
  case $1 in
    --data) data=${2:?--data needs a folder} && shift 2 ;;
    --out) out=${2:?--out needs a folder} && shift 2 ;;
    --minutes) minutes=${2:?--minutes needs a number} && shift 2 ;;
    -h | --help) usage && exit 0 ;;
    *) fail_usage "unknown option '$1'" ;;
  esac
done
is_minutes "${minutes:-1}" || fail_usage "--minutes $minutes: give a number above 0"
limit=${minutes:-120}

make_vocabulary() { # OUTPUT
  step "vocabulary: 8000 pieces for both languages"
  "$nmt" vocab -i "$(text train.en)" -i "$(text train.de)" -o "$1" --size 8000
}

# The small model trains with the learning rate of the paper. The tiny one makes fewer updates, so its learning rate
# falls to 0 at the end.
options_of() { # LEVEL
  options=(--preset "transformer-$1" --vocab "$vocabulary" --batch-tokens 3000
    --source "$(text train.en)" --target "$(text train.de)"
    --valid-source "$(text valid.en)" --valid-target "$(text valid.de)"
    --valid-every 360 --valid-beam 1 --keep-last "$averaged" --log-every 100)
  case $1 in
    small) options+=(--warmup 1000 --learning-rate 0.8 --save-every 110) ;;
    tiny) options+=(--schedule linear --warmup 150 --learning-rate 4e-3 --save-every 25) ;;
  esac
}

translate() { # MODEL TEST OUTPUT
  step "translation of $2"
  save "$3" "$nmt" translate -m "$1" -i "$(text "$2.en")" --beam 4
}

build default
mkdir -p "$out"
if [[ -z $data ]]; then
  data=$out/data
  download_multi30k "$data"
fi
for name in {train,valid,test2016}.{en,de}; do text "$name" >/dev/null; done
tests=(test2016)
if [[ -n $(compgen -G "$data/test2017.en*") ]]; then tests+=(test2017); fi

vocabulary=$out/shared.spm
model=$out/averaged.safetensors

if is_stale "$vocabulary" "$(text train.en)" "$(text train.de)"; then make_vocabulary "$vocabulary"; fi
train_by_plan
if is_stale "$model" "$out/run/metrics.jsonl"; then average "$out/run" "$averaged" "$model"; fi
for test in "${tests[@]}"; do
  if is_stale "$out/$test.de" "$model" "$(text "$test.en")"; then translate "$model" "$test" "$out/$test.de"; fi
done

show_translations "$(text test2016.en)" "$(text test2016.de)" "$out/test2016.de"
show_speed "$out/run/metrics.jsonl"
for test in "${tests[@]}"; do
  echo "$test: $("$nmt" bleu "$(text "$test.de")" <"$out/$test.de")"
done
