#!/usr/bin/env bash
# Compares recipes for Multi30k, English to German: trains each recipe with each seed, averages checkpoints, and translates
# with beam 4. Prints a line for each run, and then a table with the mean of each recipe over the seeds, from the highest
# validation score, by which recipes are chosen, to the lowest. A second call continues where the first one was stopped.
# usage: recipes.sh [OPTION...] RECIPE[,RECIPE...] SEED... [-- SETTING...]
#   --data DIR      folder with train, valid, test2016 and test2017 as .en and .de, plain, .gz or .xz (default: downloaded)
#   --out DIR       folder for all results (default: out/recipes)
#   --threads N     threads for training (default: 1, so that as many runs as there are cores can run in parallel)
#   --steps N       updates of a recipe of one stage; those with stages have as many tokens (default: those of the recipe)
#   --batch-tokens N  tokens of an update of cosine (default: 4000)
#   --average KIND  last10: the last ten checkpoints (default); greedy: nmt average --greedy
#   -- SETTING      more settings of nmt train, which change the recipe: use another --out
# Recipes:
#   small       the model and the learning rate of examples/multi30k
#   modern      small, with the layers of recent language models: transformer-small-modern
#   cosine      the same model with dropout 0.3, and a learning rate that falls from 2e-3 to 0 along a cosine
#   r-drop      cosine with R-Drop of weight 2
#   tiny        the small Transformer of the literature: 4+4 layers, d_model 128, d_ff 256, dropout 0.3, post-norm
#   sampled     4+4 layers, d_model 128, d_ff 512, dropout 0.3, pre-norm, 4,000 pieces with a new segmentation in
#               each pass, and a learning rate that falls to 0 along a cosine
# The following change one thing of cosine, at equal cost: those that compute each batch twice have updates of half the size.
#   half        updates of half the size, and nothing else, which is cheaper
#   r-drop-half R-Drop of weight 1, with dropout 0.2
#   simcut-half SimCut of weight 3
#   token-drop  leaves out 5 % of the source tokens
#   layer-drop  leaves out 10 % of the layers
#   growing     updates of half, one and two times the size, one after another
#   stalled     a constant rate of 5e-4, halved when 2 validations in a row are no better
#   both-first  a third of the updates on both directions (BiT; Ding et al., 2021), then English to German
#   bi-simcut   both-first with SimCut (Gao et al., 2022)
. "$(dirname "${BASH_SOURCE[0]}")/../examples/lib.sh"

out=$root/out/recipes threads=1 steps='' size=4000 kind=last10
names=() more=()
while (($# > 0)); do
  case $1 in
    --data) data=${2:?--data needs a folder} && shift 2 ;;
    --out) out=${2:?--out needs a folder} && shift 2 ;;
    --threads) threads=${2:?--threads needs a number} && shift 2 ;;
    --steps) steps=${2:?--steps needs a number} && shift 2 ;;
    --batch-tokens) size=${2:?--batch-tokens needs a number} && shift 2 ;;
    --average) kind=${2:?--average needs last10 or greedy} && shift 2 ;;
    --) shift && more=("$@") && break ;;
    -h | --help) usage && exit 0 ;;
    -*) fail_usage "unknown option '$1'" ;;
    *) names+=("$1") && shift ;;
  esac
done
((${#names[@]} > 1)) || fail_usage "name recipes and their seeds"
[[ $kind == last10 || $kind == greedy ]] || fail_usage "unknown average '$kind'"
IFS=, read -ra recipes <<<"${names[0]}"
seeds=("${names[@]:1}")

# Sets $options, $batch, $updates and $pieces to those of a recipe, and $stages to the lines of its curriculum, if it has one.
choose() { # RECIPE
  local cosine=(--preset transformer-small --dropout 0.3 --schedule cosine --learning-rate 2e-3 --warmup 800)
  local deep=(--preset transformer-tiny --encoder-layers 4 --decoder-layers 4)
  pieces=8000 batch=$size updates=${steps:-5000} options=("${cosine[@]}") stages=
  local third=$((updates / 3)) half=$((size / 2))
  case $1 in
    small | modern)
      batch=3000 updates=${steps:-3600}
      local preset=transformer-small
      [[ $1 == small ]] || preset=transformer-small-modern
      options=(--preset "$preset" --warmup 1000 --learning-rate 0.8)
      ;;
    cosine) ;;
    r-drop) options+=(--r-drop 2) ;;
    tiny)
      batch=3000 updates=${steps:-4200}
      options=("${deep[@]}" --d-ff 256 --norm post --dropout 0.3 --schedule inverse-sqrt --learning-rate 5e-3 --warmup 2000)
      ;;
    sampled)
      pieces=4000 batch=3000 updates=${steps:-4200}
      options=("${deep[@]}" --dropout 0.3 --sampling-alpha 0.2 --schedule cosine --learning-rate 3e-3 --warmup 1000)
      ;;
    half) batch=$half ;;
    r-drop-half) batch=$half options+=(--r-drop 1 --dropout 0.2) ;;
    simcut-half) batch=$half options+=(--simcut 3) ;;
    token-drop) options+=(--augment drop=0.05) ;;
    layer-drop) options+=(--layer-drop 0.1) ;;
    growing)
      # 1/2 * 1/2 + 3/8 * 1 + 3/16 * 2 = 1
      local first=$((updates / 2)) second=$((updates * 3 / 8)) third=$((updates * 3 / 16))
      updates=$((first + second + third))
      stages="  - {name: small, mix: forward, batch_tokens: $half, until: $first updates}
  - {name: medium, mix: forward, batch_tokens: $size, until: $second updates}
  - {name: large, mix: forward, batch_tokens: $((2 * size)), until: $third updates}"
      ;;
    stalled) options+=(--schedule constant --learning-rate 5e-4 --stalled-decay 0.5 --stalled-patience 2) ;;
    both-first | bi-simcut)
      [[ $1 == both-first ]] || { batch=$half && options+=(--simcut 3); }
      stages="  - {name: both, mix: {forward: 0.5, backward: 0.5}, until: $third updates}
  - {name: forward, mix: forward}"
      ;;
    *) fail_usage "unknown recipe '$1'" ;;
  esac
}
for recipe in "${recipes[@]}"; do choose "$recipe"; done

build default
mkdir -p "$out"
if [[ -z $data ]]; then
  data=$out/data
  download_multi30k "$data"
fi

# Prints the name of a file with the lines of both texts, beside each other.
columns() { # NAME SIDE OTHER-SIDE
  local file=$out/$1.tsv
  if is_stale "$file" "$(text "train.$2")" "$(text "train.$3")"; then
    save "$file" paste <(unpacked "$(text "train.$2")") <(unpacked "$(text "train.$3")")
  fi
  echo "$file"
}

# Trains the chosen recipe in a folder.
train() { # RUN SEED
  local corpus=(--source "$(text train.en)" --target "$(text train.de)")
  if [[ -n $stages ]]; then
    save "$1.stages.yml" printf 'corpora:\n  forward: %s\n  backward: %s\nstages:\n%s\n' \
      "$(realpath "$(columns forward en de)")" "$(realpath "$(columns backward de en)")" "$stages"
    corpus=(--stages "$1.stages.yml")
  fi
  overriding "$nmt" train "${options[@]}" --vocab "$vocabulary" "${corpus[@]}" \
    --valid-source "$(text valid.en)" --valid-target "$(text valid.de)" --batch-tokens "$batch" --valid-every "$every" \
    --valid-beam 1 --save-every $(((every + 9) / 10)) --keep-last 10 --log-every "$every" --threads "$threads" --seed "$2" \
    --steps "$updates" "${more[@]}" -o "$1"
}

average_run() { # RUN OUTPUT
  if [[ $kind == greedy ]]; then
    "$nmt" average "$1" --greedy -o "$2" --threads "$threads"
  else
    average "$1" 10 "$2"
  fi
}

score() { # MODEL TEST
  "$nmt" translate -m "$1" -i "$(text "$2.en")" --beam 4 --threads "$threads" --quiet |
    "$nmt" bleu "$(text "$2.de")" --score-only --quiet
}

minutes() { # RUN
  grep -o '"seconds": *[0-9.]*' "$1/metrics.jsonl" | tail -n 1 | awk -F : '{ printf "%.1f\n", $2 / 60 }'
}

results=$out/results-$kind.md
: >"$results"
echo "| recipe | seed | updates | minutes | valid | test2016 | test2017 |"
echo "|---|--:|--:|--:|--:|--:|--:|"
for recipe in "${recipes[@]}"; do
  choose "$recipe"
  every=$((updates < 2000 ? (updates + 9) / 10 : 650))
  vocabulary=$out/shared-$pieces.spm
  if is_stale "$vocabulary" "$(text train.en)" "$(text train.de)"; then
    "$nmt" vocab -i "$(text train.en)" -i "$(text train.de)" -o "$vocabulary" --size "$pieces"
  fi
  for seed in "${seeds[@]}"; do
    run=$out/$recipe-$seed model=$out/$recipe-$seed-$kind.safetensors
    step "$recipe, seed $seed: $updates updates"
    train "$run" "$seed"
    if is_stale "$model" "$run/metrics.jsonl"; then average_run "$run" "$model"; fi
    printf '| %s | %s | %s | %s | %s | %s | %s |\n' "$recipe" "$seed" "$updates" "$(minutes "$run")" \
      "$(score "$model" valid)" "$(score "$model" test2016)" "$(score "$model" test2017)" | tee -a "$results"
  done
done

echo
echo "| mean over seeds | runs | minutes | valid | test2016 | test2017 |"
echo "|---|--:|--:|--:|--:|--:|"
awk -F ' *[|] *' '
  { ++runs[$2]; minutes[$2] += $5; valid[$2] += $6; first[$2] += $7; second[$2] += $8 }
  END {
    for (name in runs)
      printf "| %s | %d | %.1f | %.2f | %.2f | %.2f |\n", name, runs[name], minutes[name] / runs[name], valid[name] / runs[name],
             first[name] / runs[name], second[name] / runs[name]
  }' "$results" | sort -t '|' -k 5,5gr
