#!/usr/bin/env bash
# From nothing to a translation, on Debian or Ubuntu: installs packages, builds nmt, fetches the package descriptions
# that volunteers translated (through apt), trains on them, translates some that were held out, prints BLEU.
# Without a network it runs the copy task instead.
# usage: run.sh [--languages en-de] [--minutes N] [--out DIR]
#   --languages S-T  from S to T: en-de (default), en-fr, en-it, de-en, en-pt_BR ...
#   --minutes N      time for training (default: 11)
#   --out DIR        where everything goes (default: out/quickstart-S-T); a second call goes on from what is there
. "$(dirname "${BASH_SOURCE[0]}")/../lib.sh"

here=$root/examples/quickstart
languages=en-de
minutes=11
out=

while (($# > 0)); do
  case $1 in
    --languages) languages=${2:?--languages needs two, as in en-de} && shift 2 ;;
    --minutes) minutes=${2:?--minutes needs a number} && shift 2 ;;
    --out) out=${2:?--out needs a folder} && shift 2 ;;
    -h | --help) usage && exit 0 ;;
    *) fail_usage "unknown option '$1'" ;;
  esac
done
[[ $minutes =~ ^[0-9]+(\.[0-9]+)?$ ]] || fail_usage "--minutes $minutes: give a number"
[[ $languages =~ ^[a-z]+(_[A-Z]+)?-[a-z]+(_[A-Z]+)?$ ]] || fail_usage "--languages $languages: give two, as in en-de"
source=${languages%-*} target=${languages#*-}
[[ $source != "$target" ]] || fail_usage "--languages $languages: give two that differ"
out=${out:-$root/out/quickstart-$languages}

# Lines of "URI suite component", as apt has been told.
archives() {
  # shellcheck disable=SC2016 # apt's own variables
  apt-get indextargets --format '$(REPO_URI) $(RELEASE) $(COMPONENT)' 'Created-By: Packages' 2>>"$out/apt.log" |
    awk 'NF == 3 && $1 ~ /^(http|file|mirror)/ && !seen[$0]++'
}

# Fetches URL, packed one way or another, with apt's settings of the network.
fetch() { # URL FILE
  local ending
  for ending in xz bz2 gz; do
    if PATH=$PATH:/usr/lib/apt apt-helper download-file "$1.$ending" "$2.$ending" >>"$out/apt.log" 2>&1 &&
      save "$2" unpacked "$2.$ending"; then
      return
    fi
  done
  return 1
}

# Writes the descriptions of all archives that have both languages to descriptions/; without any, explains and runs
# the copy task, or fails.
fetch_descriptions() {
  local folder=$out/descriptions.part uri suite component url languages=0 both=0
  step "descriptions of packages, in $source and $target"
  rm -rf "$folder"
  mkdir "$folder"
  # A fresh machine has no lists.
  if [[ -z $(archives) ]] && can_be_root; then as_root apt-get update >>"$out/apt.log" 2>&1 || true; fi
  while read -r uri suite component; do
    url=${uri%/}/dists/$suite/$component/i18n/Translation
    fetch "$url-$source" "$folder/new.$source" || continue
    ((++languages))
    fetch "$url-$target" "$folder/new.$target" || continue
    ((++both))
    echo "from $uri, $suite, $component" >&2
    cat "$folder/new.$source" >>"$folder/$source"
    cat "$folder/new.$target" >>"$folder/$target"
  done < <(archives)
  ((languages > 0)) || run_copy_task
  ((both > 0)) || fail "no archive of apt has descriptions in '$target'; try --languages en-fr"
  rm -f "$folder"/new.*
  mv "$folder" "$out/descriptions"
}

run_copy_task() {
  echo "no archive of apt can be reached (see $out/apt.log); without a corpus, here is the copy task" >&2
  exec "$root/examples/copy/run.sh" --out "$out/copy"
}

# Writes training, validation and test to text/.
make_text() {
  local folder=$out/text.part part
  step "sentence pairs"
  save "$out/pairs" env LC_ALL=C awk -f "$here/pairs.awk" "$out/descriptions/$source" "$out/descriptions/$target"
  rm -rf "$folder"
  mkdir "$folder"
  LC_ALL=C awk -v source="$folder/train.$source,$folder/valid.$source,$folder/test.$source" \
    -v target="$folder/train.$target,$folder/valid.$target,$folder/test.$target" \
    -f "$here/parts.awk" "$out/pairs" "$out/pairs"
  for part in train valid test; do
    [[ -s $folder/$part.$source ]] || fail "too few descriptions are in both $source and $target; try --languages en-fr"
    echo "$part: $(wc -l <"$folder/$part.$source") pairs" >&2
  done
  mv "$folder" "$out/text"
}

make_vocabulary() { # OUTPUT
  local pieces=$(($(wc -l <"$data/train.$source") / 7))
  ((pieces < 4000)) || pieces=4000
  step "vocabulary: $pieces pieces for both languages"
  "$nmt" vocab -i "$data/train.$source" -i "$data/train.$target" -o "$1" --size "$pieces"
}

# Small batches: within minutes, many updates do more than exact ones.
train() { # VOCABULARY RUN
  step "training: $minutes minutes"
  "$nmt" train --preset transformer-tiny --encoder-layers 3 --decoder-layers 3 --d-model 192 --d-ff 768 --norm pre \
    --batch-tokens 1000 --warmup 1500 --vocab "$1" -o "$2" \
    --source "$data/train.$source" --target "$data/train.$target" \
    --valid-source "$data/valid.$source" --valid-target "$data/valid.$target" \
    --stop-after "${minutes}m" --valid-every 2m --save-every 0.5m --log-every 200
}

translate() { # MODEL OUTPUT
  step "translation of what was held out"
  save "$2" "$nmt" translate -m "$1" -i "$data/test.$source" --beam 4
}

say_what_is_next() { # MODEL
  cat <<NEXT
Next, translate something of your own:
  echo "This package contains a small text editor." | $nmt translate -m $1
Train on for half an hour, or take other languages:
  $0 --languages $languages --minutes 40
  $0 --languages en-fr
All options: $nmt --help
NEXT
}

build cpu
mkdir -p "$out"
data=$out/text
vocabulary=$out/shared.spm
model=$out/averaged.safetensors
[[ -d $out/descriptions || -d $data ]] || fetch_descriptions
[[ -d $data ]] || make_text
[[ -f $vocabulary ]] || make_vocabulary "$vocabulary"
train "$vocabulary" "$out/run"
if is_stale "$model" "$out/run/metrics.jsonl"; then average "$out/run" 5 "$model"; fi
if is_stale "$out/test.$target" "$model"; then translate "$model" "$out/test.$target"; fi

show_translations "$data/test.$source" "$data/test.$target" "$out/test.$target"
show_speed "$out/run/metrics.jsonl"
echo "held-out descriptions: $("$nmt" bleu "$data/test.$target" <"$out/test.$target")"
say_what_is_next "$model"
