#!/usr/bin/env bash
# Multi30k, English to German, from text to BLEU: vocabulary, training, translation of test2016, score.
# usage: run.sh [--data DIR] [--out DIR] [--minutes N]
#   --data DIR   holds train, valid and test2016 as .en and .de, plain, .gz or .xz; without it they are downloaded
#   --out DIR    where everything goes (default: out/multi30k); a second call redoes only what has changed
#   --minutes N  time for training (default: 10)
set -euo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
nmt=${NMT:-$root/build/nmt}
source=https://raw.githubusercontent.com/multi30k/dataset/master/data/task1/raw
data=
out=$root/out/multi30k
minutes=10

fail() {
  echo "error: $1" >&2
  exit "${2:-1}"
}

while (($# > 0)); do
  case $1 in
    --data) data=${2:?--data needs a folder} && shift 2 ;;
    --out) out=${2:?--out needs a folder} && shift 2 ;;
    --minutes) minutes=${2:?--minutes needs a number} && shift 2 ;;
    -h | --help) sed -n '2,6s/^# //p' "$0" && exit 0 ;;
    *) fail "unknown option '$1'; usage: run.sh [--data DIR] [--out DIR] [--minutes N]" 2 ;;
  esac
done
[[ $minutes =~ ^[0-9]+(\.[0-9]+)?$ ]] || fail "--minutes $minutes: give a number" 2

step() { echo "== $1" >&2; }

# Prints the path of the text NAME in $data, whether packed or not.
text() {
  local ending
  for ending in '' .gz .xz; do
    [[ ! -f $data/$1$ending ]] || { echo "$data/$1$ending" && return; }
  done
  fail "'$data' holds no $1, $1.gz or $1.xz"
}

# Writes a text to stdout, unpacked.
unpacked() {
  case $1 in
    *.gz) gzip -dc "$1" ;;
    *.xz) xz -dc "$1" ;;
    *) cat "$1" ;;
  esac
}

# Whether OUTPUT is missing or older than one of the INPUTs.
is_stale() { # OUTPUT INPUT...
  local output=$1 input
  [[ -e $output ]] || return 0
  for input in "${@:2}"; do
    [[ ! $input -nt $output ]] || return 0
  done
  return 1
}

# Fetches a file of the corpus under our name for it; a broken transfer leaves nothing behind.
download() { # THEIR-NAME OUR-NAME
  [[ ! -f $data/$2 ]] || return 0
  if ! curl --fail --silent --show-error --location --retry 3 --output "$data/$2.part" "$source/$1"; then
    rm -f "$data/$2.part"
    fail "cannot download $source/$1; get the files and use --data"
  fi
  mv "$data/$2.part" "$data/$2"
}

download_corpus() {
  command -v curl >/dev/null || fail "curl is not installed; get the files and use --data"
  data=$out/data
  mkdir -p "$data"
  step "data: $source"
  local side
  for side in en de; do
    download "train.$side.gz" "train.$side.gz"
    download "val.$side.gz" "valid.$side.gz"
    download "test_2016_flickr.$side.gz" "test2016.$side.gz"
    download "test_2017_flickr.$side.gz" "test2017.$side.gz"
  done
}

build() {
  "$root/examples/install-packages.sh" >&2
  (cd "$root" && cmake --preset default && cmake --build --preset default --target nmt) >&2
}

make_vocabulary() { # OUTPUT
  step "vocabulary: 8000 pieces for both languages"
  "$nmt" vocab -i "$(text train.en)" -i "$(text train.de)" -o "$1" --size 8000
}

train() { # VOCABULARY RUN
  step "training: $minutes minutes"
  "$nmt" train --preset transformer-small --vocab "$1" -o "$2" --overwrite \
    --source "$(text train.en)" --target "$(text train.de)" \
    --valid-source "$(text valid.en)" --valid-target "$(text valid.de)" \
    --stop-after "${minutes}m" --valid-every 2m --save-every 2m --log-every 100
}

translate() { # MODEL TEST OUTPUT
  step "translation of $2"
  unpacked "$(text "$2.en")" | "$nmt" translate -m "$1" --beam 4 >"$3.part"
  mv "$3.part" "$3"
}

# Ten lines from all over the test set: source, reference, translation.
show_translations() { # TEST TRANSLATION
  paste -d '\n' <(unpacked "$(text "$1.en")") <(unpacked "$(text "$1.de")") "$2" |
    awk 'BEGIN { split("source reference nmt", label) }
         int((NR - 1) / 3) % 100 == 42 { printf "%-10s %s\n", label[(NR - 1) % 3 + 1], $0
                                         if (NR % 3 == 0) print "" }'
}

show_speed() { # METRICS
  sed -nE '/"event": ?"train"/ s/.*"target_tokens": ?([0-9]+).*"seconds": ?([0-9.]+).*/\1 \2/p' "$1" |
    awk '{ tokens = $1; seconds = $2 }
         END { if (seconds > 0) printf "speed: %d target tokens in %d s of training, %d a second\n",
                                       tokens, seconds, tokens / seconds }'
}

if [[ ! -x $nmt ]]; then build; fi
mkdir -p "$out"
if [[ -z $data ]]; then download_corpus; fi
for name in {train,valid,test2016}.{en,de}; do text "$name" >/dev/null; done
tests=(test2016)
if [[ -n $(compgen -G "$data/test2017.en*") ]]; then tests+=(test2017); fi

vocabulary=$out/shared.spm
model=$out/run/last.safetensors
trained=$out/trained-minutes # written when training has come to its end

if is_stale "$vocabulary" "$(text train.en)" "$(text train.de)"; then make_vocabulary "$vocabulary"; fi
if [[ ! -f $trained || $(<"$trained") != "$minutes" ]] ||
  is_stale "$trained" "$vocabulary" "$(text valid.en)" "$(text valid.de)"; then
  train "$vocabulary" "$out/run"
  echo "$minutes" >"$trained"
fi
for test in "${tests[@]}"; do
  if is_stale "$out/$test.de" "$trained" "$(text "$test.en")"; then translate "$model" "$test" "$out/$test.de"; fi
done

show_translations test2016 "$out/test2016.de"
show_speed "$out/run/metrics.jsonl"
for test in "${tests[@]}"; do
  echo "$test: $("$nmt" bleu "$(text "$test.de")" <"$out/$test.de")"
done
