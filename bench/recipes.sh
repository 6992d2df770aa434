#!/usr/bin/env bash
# Recipes for Multi30k, English to German: trains a recipe with each seed, averages the last ten checkpoints and translates
# with beam 4. Then prints a line of the table in bench/history.md. The line has the validation scores, by which recipes are
# chosen, and the test scores. A second call continues where the first one was stopped.
# usage: recipes.sh [--data DIR] [--out DIR] [--threads N] [--steps N] RECIPE SEED... [-- SETTING...]
#   --data DIR   folder with train, valid, test2016 and test2017 as .en and .de, plain, .gz or .xz (default: downloaded)
#   --out DIR    folder for all results (default: out/recipes)
#   --threads N  threads for training (default: 1, so that as many runs as there are cores can run in parallel)
#   --steps N    updates (default: those of the recipe)
#   -- SETTING   more settings of nmt train, which change the recipe: use another --out
# Recipes:
#   small       the model and the learning rate of examples/multi30k
#   cosine      the same model with dropout 0.3, and a learning rate that falls from 2e-3 to 0 along a cosine
#   r-drop      cosine with R-Drop of weight 2
#   r-drop-half R-Drop at the cost of cosine: updates of 2,000 tokens, weight 1 and dropout 0.2
#   tiny        the small Transformer of the literature: 4+4 layers, d_model 128, d_ff 256, dropout 0.3, post-norm
#   sampled     4+4 layers, d_model 128, d_ff 512, dropout 0.3, pre-norm, 4,000 pieces with a new segmentation in
#               each pass, and a learning rate that falls to 0 along a cosine
. "$(dirname "${BASH_SOURCE[0]}")/../examples/lib.sh"

out=$root/out/recipes threads=1 steps=
names=() more=()
while (($# > 0)); do
  case $1 in
    --data) data=${2:?--data needs a folder} && shift 2 ;;
    --out) out=${2:?--out needs a folder} && shift 2 ;;
    --threads) threads=${2:?--threads needs a number} && shift 2 ;;
    --steps) steps=${2:?--steps needs a number} && shift 2 ;;
    --) shift && more=("$@") && break ;;
    -h | --help) usage && exit 0 ;;
    -*) fail_usage "unknown option '$1'" ;;
    *) names+=("$1") && shift ;;
  esac
done
((${#names[@]} > 1)) || fail_usage "name a recipe and its seeds"
recipe=${names[0]} seeds=("${names[@]:1}")

batch=3000
cosine=(--preset transformer-small --dropout 0.3 --schedule cosine --learning-rate 2e-3 --warmup 800)
deep=(--preset transformer-tiny --encoder-layers 4 --decoder-layers 4)
case $recipe in
  small)
    pieces=8000 usual=3600
    options=(--preset transformer-small --warmup 1000 --learning-rate 0.8)
    ;;
  cosine)
    pieces=8000 usual=5000 batch=4000
    options=("${cosine[@]}")
    ;;
  r-drop)
    pieces=8000 usual=5000 batch=4000
    options=("${cosine[@]}" --r-drop 2)
    ;;
  r-drop-half)
    pieces=8000 usual=5000 batch=2000
    options=("${cosine[@]}" --r-drop 1 --dropout 0.2)
    ;;
  tiny)
    pieces=8000 usual=4200
    options=("${deep[@]}" --d-ff 256 --norm post --dropout 0.3 --schedule inverse-sqrt --learning-rate 5e-3 --warmup 2000)
    ;;
  sampled)
    pieces=4000 usual=4200
    options=("${deep[@]}" --dropout 0.3 --sampling-alpha 0.2 --schedule cosine --learning-rate 3e-3 --warmup 1000)
    ;;
  *) fail_usage "unknown recipe '$recipe'" ;;
esac
steps=${steps:-$usual}

build default
mkdir -p "$out"
if [[ -z $data ]]; then
  data=$out/data
  download_multi30k "$data"
fi
vocabulary=$out/shared-$pieces.spm
if is_stale "$vocabulary" "$(text train.en)" "$(text train.de)"; then
  "$nmt" vocab -i "$(text train.en)" -i "$(text train.de)" -o "$vocabulary" --size "$pieces"
fi

score() { # MODEL TEST
  "$nmt" translate -m "$1" -i "$(text "$2.en")" --beam 4 --threads "$threads" --quiet |
    "$nmt" bleu "$(text "$2.de")" --score-only --quiet
}

for seed in "${seeds[@]}"; do
  run=$out/$recipe-$seed
  step "$recipe, seed $seed: $steps updates"
  "$nmt" train "${options[@]}" --vocab "$vocabulary" --source "$(text train.en)" --target "$(text train.de)" \
    --valid-source "$(text valid.en)" --valid-target "$(text valid.de)" --batch-tokens "$batch" --valid-every 650 --valid-beam 1 \
    --save-every 65 --keep-last 10 --log-every 650 --threads "$threads" --seed "$seed" --steps "$steps" "${more[@]}" -o "$run"
  if is_stale "$run.safetensors" "$run/metrics.jsonl"; then average "$run" 10 "$run.safetensors"; fi
  printf '| %s | %s | %s | %s | %s | %s |\n' "$recipe" "$seed" "$steps" "$(score "$run.safetensors" valid)" \
    "$(score "$run.safetensors" test2016)" "$(score "$run.safetensors" test2017)"
done
