#!/usr/bin/env bash
# From a bare Debian or Ubuntu to a translation: installs packages, builds nmt, downloads package descriptions that
# volunteers have translated (through apt), trains on them, translates held-out descriptions and prints BLEU. Without a
# network it runs the copy task instead.
# usage: run.sh [--languages en-de] [--minutes N] [--out DIR]
#   --languages S-T  from S to T: en-de (default), en-fr, en-it, de-en, en-pt_BR ...
#   --minutes N      maximum time for training (default: about 10, on a slow machine up to 40); the model is chosen by
#                    the speed of the first updates
#   --out DIR        folder for all results (default: out/quickstart-S-T); a second call continues
. "$(dirname "${BASH_SOURCE[0]}")/../lib.sh"
. "$(dirname "${BASH_SOURCE[0]}")/../plan.sh"

here=$root/examples/quickstart
languages=en-de

# The BLEU is that of the held-out descriptions, English to German.
levels='large 6000 0 1 6000:22 8000:25
small 4500 4500 2.1 2500:14 4500:19 6500:22'
usual=10    # minutes of training
readable=15 # BLEU

while (($# > 0)); do
  case $1 in
    --languages) languages=${2:?--languages needs two, as in en-de} && shift 2 ;;
    --minutes) minutes=${2:?--minutes needs a number} && shift 2 ;;
    --out) out=${2:?--out needs a folder} && shift 2 ;;
    -h | --help) usage && exit 0 ;;
    *) fail_usage "unknown option '$1'" ;;
  esac
done
is_minutes "${minutes:-1}" || fail_usage "--minutes $minutes: give a number above 0"
[[ $languages =~ ^[a-z]+(_[A-Z]+)?-[a-z]+(_[A-Z]+)?$ ]] || fail_usage "--languages $languages: give two, as in en-de"
source=${languages%-*} target=${languages#*-}
[[ $source != "$target" ]] || fail_usage "--languages $languages: give two different ones"
out=${out:-$root/out/quickstart-$languages}
limit=${minutes:-40}
if [[ $languages != en-de ]]; then levels=$(cut -d ' ' -f 1-4 <<<"$levels"); fi

# Prints lines of "URI suite component" from apt's configuration.
archives() {
  # shellcheck disable=SC2016 # apt's own variables
  apt-get indextargets --format '$(REPO_URI) $(RELEASE) $(COMPONENT)' 'Created-By: Packages' 2>>"$out/apt.log" |
    awk 'NF == 3 && $1 ~ /^(http|file|mirror)/ && !seen[$0]++'
}

# Downloads URL, compressed in any way, with apt's network settings.
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

# Writes the descriptions of all archives with both languages to descriptions/. If there are none, explains why and runs
# the copy task, or fails.
fetch_descriptions() {
  local folder=$out/descriptions.part uri suite component url languages=0 both=0
  step "descriptions of packages, in $source and $target"
  rm -rf "$folder"
  mkdir "$folder"
  # A fresh machine has no package lists.
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
  echo "cannot reach any archive of apt (see $out/apt.log); running the copy task instead" >&2
  exec "$root/examples/copy/run.sh" --out "$out/copy"
}

# Writes the training, validation and test text to text/.
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

# Batches are small, because in a few minutes many updates achieve more than exact ones. The large model trains until
# the time is up, with the learning rate of the paper. The small one makes fewer updates, so its learning rate falls to
# 0 at the end.
options_of() { # MODEL
  options=(--preset transformer-tiny --batch-tokens 1000 --vocab "$vocabulary"
    --source "$data/train.$source" --target "$data/train.$target"
    --valid-source "$data/valid.$source" --valid-target "$data/valid.$target"
    --valid-every 0 --valid-beam 1 --log-every 100)
  case $1 in
    large)
      options+=(--encoder-layers 3 --decoder-layers 3 --d-model 192 --d-ff 768 --warmup 1500 --save-every 350)
      ;;
    small) options+=(--schedule linear --warmup 400 --learning-rate 4e-3 --dropout 0 --save-every 100) ;;
  esac
}

# Explains why translations are hardly readable.
say_why() { # BLEU
  local level least made spent speed batch
  read -r level _ <"$out/plan"
  read -r made spent speed batch < <(progress "$out/run/metrics.jsonl") || fail "$limit minutes were too short for an update"
  least=$(level_field "$levels" "$level" 2)
  if ((made < least)); then
    printf 'BLEU is %s because %d updates were made in %.0f minutes, at %.0f tokens per second; %d are enough:\n' "$1" \
      "$made" "$spent" "$speed" "$least"
    printf '  %s --languages %s --minutes %.0f\n' "$0" "$languages" \
      "$(calculate "$spent + 1 + $(minutes_for $((least - made)) "$speed" "$batch")")"
  else
    echo "BLEU is $1 because $(wc -l <"$data/train.$source") pairs are few, or their translations are free; en-de and en-fr have more"
  fi
}

translate() { # MODEL OUTPUT
  step "translation of the held-out text"
  save "$2" "$nmt" translate -m "$1" -i "$data/test.$source" --beam 4
}

say_what_is_next() { # MODEL
  cat <<NEXT
Next, translate something of your own:
  echo "This package contains a small text editor." | $nmt translate -m $1
Train longer, for an hour in total, or use other languages:
  $0 --languages $languages --minutes 60
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
train_by_plan
if is_stale "$model" "$out/run/metrics.jsonl"; then average "$out/run" 5 "$model"; fi
if is_stale "$out/test.$target" "$model"; then translate "$model" "$out/test.$target"; fi

show_translations "$data/test.$source" "$data/test.$target" "$out/test.$target"
show_speed "$out/run/metrics.jsonl"
echo "held-out descriptions: $("$nmt" bleu "$data/test.$target" <"$out/test.$target")"
bleu=$("$nmt" bleu --score-only "$data/test.$target" <"$out/test.$target")
if is_true "$bleu < $readable"; then say_why "$bleu"; fi
say_what_is_next "$model"
