#!/usr/bin/env bash
# The paper's translation task, from the download to BLEU on newstest2014: English to German or French. Takes days on a
# CPU and tens of gigabytes of disk; --data and --steps run it on a small scale. A second call continues an interrupted
# one.
# usage: run.sh [--pair en-de|en-fr] [--big] [--data DIR] [--steps N] [--preset NAME] [--vocab-size N] [--out DIR]
#               [--launcher COMMAND] [-- SETTING...]
#   --pair S-T      languages (default: en-de); with --data any languages
#   --big           the big model: preset transformer-big, 300000 updates, averages the last 20 checkpoints instead of 5
#   --data DIR      folder with train, valid and test as .en and .de, plain, .gz or .xz, instead of the download
#   --steps N       updates (default: 100000)
#   --preset NAME   model and recipe (default: transformer-base)
#   --vocab-size N  pieces of the shared vocabulary (default: 37000; en-fr: 32000)
#   --out DIR       folder for all results (default: out/wmt14-S-T)
#   --launcher C    command that starts the training processes, such as "mpirun -n 8" (see doc/ranks.md)
#   -- SETTING...   more settings of nmt train
# Environment: WMT_SITE is another site with the archives.
. "$(dirname "${BASH_SOURCE[0]}")/../lib.sh"

site=${WMT_SITE:-https://www.statmt.org}
pair=en-de
big=
given=
steps=
preset=
pieces=
out=
launcher=()

while (($# > 0)); do
  case $1 in
    --pair) pair=${2:?--pair needs two languages, as in en-de} && shift 2 ;;
    --big) big=1 && shift ;;
    --data) given=${2:?--data needs a folder} && shift 2 ;;
    --steps) steps=${2:?--steps needs a number} && shift 2 ;;
    --preset) preset=${2:?--preset needs a name} && shift 2 ;;
    --vocab-size) pieces=${2:?--vocab-size needs a number} && shift 2 ;;
    --out) out=${2:?--out needs a folder} && shift 2 ;;
    --launcher) read -ra launcher <<<"${2:?--launcher needs a command}" && shift 2 ;;
    --) shift && break ;;
    -h | --help) usage && exit 0 ;;
    *) fail_usage "unknown option '$1'" ;;
  esac
done
settings=("$@")

[[ $pair =~ ^[a-z]+-[a-z]+$ ]] || fail_usage "--pair $pair: give two languages, as in en-de"
source=${pair%-*} target=${pair#*-}
steps=${steps:-$((big ? 300000 : 100000))}
[[ $steps =~ ^[1-9][0-9]*$ ]] || fail_usage "--steps $steps: give a number of updates"
preset=${preset:-transformer-$([[ $big ]] && echo big || echo base)}
pieces=${pieces:-$([[ $pair == en-fr ]] && echo 32000 || echo 37000)}
averaged=$((big ? 20 : 5))
out=${out:-$root/out/wmt14-$pair}
if [[ $big && $pair == en-fr ]]; then settings=(--dropout 0.1 "${settings[@]}"); fi

# Saves about every ten minutes of eight GPUs, as in the paper, but at least as often as needed for averaging.
save_every=$((big ? 600 : 1500))
((save_every * averaged <= steps)) || save_every=$(((steps + averaged - 1) / averaged))

# The parts of the corpus: the archive on the site, and the file in it, with @ for the language.
declare -A parts=(
  [en-de]="wmt13/training-parallel-europarl-v7.tgz training/europarl-v7.de-en.@
           wmt13/training-parallel-commoncrawl.tgz commoncrawl.de-en.@
           wmt14/training-parallel-nc-v9.tgz training/news-commentary-v9.de-en.@"
  [en-fr]="wmt13/training-parallel-europarl-v7.tgz training/europarl-v7.fr-en.@
           wmt13/training-parallel-commoncrawl.tgz commoncrawl.fr-en.@
           wmt13/training-parallel-un.tgz un/undoc.2000.fr-en.@
           wmt14/training-parallel-nc-v9.tgz training/news-commentary-v9.fr-en.@
           wmt10/training-giga-fren.tar giga-fren.release2.fixed.@.gz"
)
valid="wmt14/dev.tgz dev/newstest2013.@"
test_source="wmt14/test-full.tgz test-full/newstest2014-$target$source-src.$source.sgm"
test_target="wmt14/test-full.tgz test-full/newstest2014-$target$source-ref.$target.sgm"

stage= # what runs
begin= # since when

# Runs a stage and adds its time to $out/times.
timed() { # STAGE COMMAND...
  stage=$1 begin=$EPOCHSECONDS
  step "$stage"
  "${@:2}"
  note_time
}

# Called at the end of a stage and of the script, so an interrupted and resumed stage has a line for each part.
note_time() {
  [[ -z $stage ]] || echo "$((EPOCHSECONDS - begin)) $stage" >>"$out/times"
  stage=
}
trap note_time EXIT

show_times() {
  awk '{ seconds = $1; sub(/^[0-9]+ /, ""); if (!($0 in sum)) order[++n] = $0; sum[$0] += seconds }
       END { for (i = 1; i <= n; ++i) printf "%8d s  %s\n", sum[order[i]], order[i] }' "$out/times"
}

download_corpus() {
  local archive file
  mkdir -p "$out/downloads"
  while read -r archive file; do
    download "$site/$archive" "$out/downloads/${archive##*/}"
  done <<<"${parts[$pair]}"$'\n'"$valid"$'\n'"$test_source"
}

# Writes files of one language from the downloaded archives to standard output.
extracted() { # "ARCHIVE FILE"... LANGUAGE
  local archive file
  while read -r archive file; do
    file=${file/@/$2}
    tar -xOf "$out/downloads/${archive##*/}" --no-anchored "$file" |
      if [[ $file == *.gz ]]; then gzip -dc; else cat; fi || return
  done <<<"$1"
}

raw_text() { # LANGUAGE
  if [[ $given ]]; then unpacked "$(text "train.$1")"; else extracted "${parts[$pair]}" "$1"; fi
}

# Prints the training text of one language with a space before each line, and "end" after a text that was read
# completely. Tabs and other control characters become spaces, and runs of spaces become one.
tidied() { # LANGUAGE
  raw_text "$1" | LC_ALL=C tr -s '\000-\011\013-\037\177 ' ' ' | LC_ALL=C sed 's/ $//; s/^ \?/ /' && echo end
}

# Drops pairs with an empty side.
clean() { # SOURCE TARGET
  paste <(tidied "$source") <(tidied "$target") |
    LC_ALL=C awk -F '\t' -v source="gzip -1 >'$1.part'" -v target="gzip -1 >'$2.part'" '
      $1 == "end" && $2 == "end" { whole = 1; exit }
      $1 !~ /^ / || $2 !~ /^ / { exit }
      length($1) > 1 && length($2) > 1 { print substr($1, 2) | source; print substr($2, 2) | target; ++kept }
      END {
        if (!whole) message = "one side of the training text ends before line " NR
        else if (!kept) message = "the training text is empty"
        else if (close(source) + close(target) != 0) message = "the training text cannot be written"
        if (message) { print "error: " message >"/dev/stderr"; exit 1 }
        print kept " of " NR - 1 " pairs have text on both sides" >"/dev/stderr"
      }'
  mv "$1.part" "$1"
  mv "$2.part" "$2"
}

# Prints the segments of an SGM file, one per line.
segments() {
  sed -n "/<seg/ { s/^.*<seg[^>]*> *//; s/ *<\/seg>.*$//
                   s/&quot;/\"/g; s/&apos;/'/g; s/&lt;/</g; s/&gt;/>/g; s/&amp;/\&/g; p }"
}

# newstest2013 for validation, newstest2014 for the test.
unpack_news() { # FOLDER
  rm -rf "$1.part"
  mkdir "$1.part"
  extracted "$valid" "$source" >"$1.part/valid.$source"
  extracted "$valid" "$target" >"$1.part/valid.$target"
  extracted "$test_source" "$source" | segments >"$1.part/test.$source"
  extracted "$test_target" "$target" | segments >"$1.part/test.$target"
  mv "$1.part" "$1"
}

train() { # CORPUS RUN
  overriding "${launcher[@]}" "$nmt" train --preset "$preset" --train "$1" -o "$2" --steps "$steps" --save-every "$save_every" \
    --keep-last "$averaged" --valid-source "$(text "valid.$source")" --valid-target "$(text "valid.$target")" \
    --valid-every 5000 "${settings[@]}"
}

translate() { # MODEL OUTPUT
  save "$2" "$nmt" translate -m "$1" -i "$(text "test.$source")" --beam 4 --length-penalty 0.6
}

if [[ -z $given && -z ${parts[$pair]:-} ]]; then fail_usage "--pair $pair: only en-de and en-fr can be downloaded; give --data"; fi
build default
mkdir -p "$out"
data=${given:-$out/news}
if [[ -z $given ]]; then
  timed download download_corpus
  [[ -d $data ]] || timed "unpacking of the news" unpack_news "$data"
fi
for name in {valid,test}.{$source,$target}; do text "$name" >/dev/null; done
if [[ $given ]]; then
  inputs=("$(text "train.$source")" "$(text "train.$target")")
else
  inputs=("$out"/downloads/*)
fi

clean_source=$out/train.$source.gz clean_target=$out/train.$target.gz
vocabulary=$out/shared.spm
corpus=$out/train.nmtc
run=$out/$preset
model=$run-averaged.safetensors
translation=$run.$target

if is_stale "$clean_target" "${inputs[@]}"; then timed cleaning clean "$clean_source" "$clean_target"; fi
if is_stale "$vocabulary" "$clean_target"; then
  timed vocabulary "$nmt" vocab -i "$clean_source" -i "$clean_target" -o "$vocabulary" --type bpe --size "$pieces"
fi
if is_stale "$corpus" "$vocabulary"; then
  timed packing "$nmt" batch --source "$clean_source" --target "$clean_target" --vocab "$vocabulary" -o "$corpus"
fi
timed "training of $preset" train "$corpus" "$run"
if is_stale "$model" "$run/metrics.jsonl"; then
  timed "averaging of $preset" average "$run" "$averaged" "$model"
fi
if is_stale "$translation" "$model" "$(text "test.$source")"; then
  timed "translation by $preset" translate "$model" "$translation"
fi

show_translations "$(text "test.$source")" "$(text "test.$target")" "$translation"
show_speed "$run/metrics.jsonl"
show_times
echo "test: $("$nmt" bleu "$(text "test.$target")" <"$translation")"
