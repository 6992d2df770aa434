#!/usr/bin/env bash
# Back-translation (Sennrich et al., 2016): if parallel text is scarce, text in the target language alone helps. A model of
# the opposite direction translates it by sampling (Edunov et al., 2018), and the resulting pairs get a tag (Caswell et al.,
# 2019). A new model then learns from all pairs. Here most pairs of Multi30k lose their source. A table at the end shows the
# gain. A second call continues where the first one was stopped.
# usage: run.sh [--data DIR] [--pairs N] [--out DIR] [--quick]
#   --data DIR   folder with train, valid and test2016 as .en and .de, plain, .gz or .xz (default: downloads Multi30k)
#   --pairs N    number of pairs to keep (default: 10000); of the others only the target side is used
#   --out DIR    folder for all results (default: out/backtranslate)
#   --quick      trains each model for only a minute, to check that everything works
# Environment: SOURCE and TARGET are the languages (en, de), STEPS the updates of each model (1500).
. "$(dirname "${BASH_SOURCE[0]}")/../lib.sh"

source=${SOURCE:-en} target=${TARGET:-de}
out=$root/out/backtranslate
pairs=10000 quick=

while (($# > 0)); do
  case $1 in
    --data) data=${2:?--data needs a folder} && shift 2 ;;
    --pairs) pairs=${2:?--pairs needs a number} && shift 2 ;;
    --out) out=${2:?--out needs a folder} && shift 2 ;;
    --quick) quick=1 && shift ;;
    -h | --help) usage && exit 0 ;;
    *) fail_usage "unknown option '$1'" ;;
  esac
done
[[ $pairs =~ ^[1-9][0-9]*$ ]] || fail_usage "--pairs $pairs: give a number above 0"

steps=1500
[[ -z $quick ]] || steps=60
steps=${STEPS:-$steps}
tag='<BT>'

divide_text() {
  local side
  for side in "$source" "$target"; do
    unpacked "$(text "train.$side")" | sed -n "1,${pairs}p" >"$out/real.$side"
  done
  unpacked "$(text "train.$target")" | sed "1,${pairs}d" >"$out/alone.$target"
  [[ -s $out/alone.$target ]] || fail "--pairs $pairs leaves no text of the target language alone"
}

pack() { # OUTPUT SOURCE TARGET OPTION...
  if is_stale "$1" "$2" "$3"; then
    "$nmt" batch --vocab "$vocabulary" --source "$2" --target "$3" -o "$1" "${@:4}"
  fi
}

# Small models see a small text often, so dropout is high.
train() { # RUN FROM TO CORPUS...
  local corpora=() corpus
  for corpus in "${@:4}"; do corpora+=(--train "$corpus"); done
  step "training: $(basename "$1"), $steps updates"
  "$nmt" train --preset transformer-small "${corpora[@]}" --dropout 0.3 --batch-tokens 3000 --warmup 400 \
    --learning-rate 0.8 --steps "$steps" --valid-every 300 --save-every 300 --valid-beam 1 --best-by bleu \
    --valid-source "$(text "valid.$2")" --valid-target "$(text "valid.$3")" -o "$1"
}

# Prints the BLEU of the test set, translating it if necessary.
bleu() { # RUN
  local translation=$1.$target
  if is_stale "$translation" "$1/best.safetensors"; then
    save "$translation" "$nmt" translate -m "$1" -i "$(text "test2016.$source")" --quiet
  fi
  "$nmt" bleu "$(text "test2016.$target")" --score-only --quiet <"$translation"
}

build default
mkdir -p "$out"
if [[ -z $data ]]; then
  download_multi30k "$out/data"
  data=$out/data
fi
for name in {train,valid,test2016}.{$source,$target}; do text "$name" >/dev/null; done

vocabulary=$out/shared.spm
synthetic=$out/back-translated.$source

if is_stale "$out/alone.$target" "$(text "train.$source")" "$(text "train.$target")"; then divide_text; fi
if is_stale "$vocabulary" "$out/alone.$target"; then
  step "vocabulary: 4000 pieces for both languages, and $tag"
  "$nmt" vocab -i "$out/real.$source" -i "$out/real.$target" -i "$out/alone.$target" --size 4000 --user-symbols "$tag" \
    -o "$vocabulary"
fi
pack "$out/reverse.nmtc" "$out/real.$target" "$out/real.$source"
train "$out/reverse" "$target" "$source" "$out/reverse.nmtc"
if is_stale "$synthetic" "$out/reverse/best.safetensors" "$out/alone.$target"; then
  step "back-translation by sampling: $(wc -l <"$out/alone.$target") lines"
  save "$synthetic" "$nmt" translate -m "$out/reverse" --sample -i "$out/alone.$target"
fi
pack "$out/real.nmtc" "$out/real.$source" "$out/real.$target"
pack "$out/synthetic.nmtc" "$synthetic" "$out/alone.$target" --source-tag "$tag"
train "$out/without" "$source" "$target" "$out/real.nmtc"
train "$out/with" "$source" "$target" "$out/real.nmtc" "$out/synthetic.nmtc"

printf '%-48s %6s\n' "test2016" BLEU
printf '%-48s %6s\n' "$pairs pairs" "$(bleu "$out/without")"
printf '%-48s %6s\n' "and $(wc -l <"$synthetic") back-translations" "$(bleu "$out/with")"
