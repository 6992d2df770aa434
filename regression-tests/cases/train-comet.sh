#!/usr/bin/env bash
# nmt train --judgments: trains metrics, continues them, and lets other commands judge by them.
. "$(dirname "$0")/../lib.sh"
make_text
make_vocabulary

# Prints judgments of a text: each reference, and the reference of another line.
judgments() { # SIDE...
  printf 'src\tmt\tref\tscore\n'
  paste "$1.src" "$1.tgt" "$1.tgt" | sed 's/$/\t1/'
  tail -n +3 "$1.tgt" | paste "$1.src" - "$1.tgt" | awk -F '\t' '$2 != ""' | sed 's/$/\t0.25/'
}
judgments train >train.tsv
judgments test >test.tsv
small=(--d-model 32 --d-ff 64 --heads 2 --encoder-layers 1 --estimator-sizes 32 --dropout 0 --batch-tokens 500 --warmup 40
  --learning-rate 1 --threads 1 --quiet)
metric() { # [OPTION...]
  overriding nmt train --preset comet-small "${small[@]}" --judgments train.tsv --valid-judgments test.tsv --vocab words.spm "$@"
}

metric --steps 120 --valid-every 40 -o run
holds "$(tail -n 1 run/metrics.jsonl | sed -E 's/.*"kendall":([-0-9.e]+).*/\1/') > 0.5"
if grep -q perplexity run/metrics.jsonl; then fail "scores have no perplexity: $(head -n 1 run/metrics.jsonl)"; fi
grep -q "best validation: kendall" run/train.log || fail "$(<run/train.log)"

# A run that is continued is the same as an uninterrupted one.
metric --steps 50 -o parts
metric --steps 60 -o parts
metric --steps 60 -o whole
same parts/last.safetensors whole/last.safetensors
refuses 2 "model.d_model|d_model" metric --steps 70 --d-model 16 -o parts

# The judgments may be a CSV file.
python3 - <<'PYTHON'
import csv
rows = [line.rstrip("\n").split("\t") for line in open("train.tsv")]
csv.writer(open("train.csv", "w", newline="")).writerows([row[3], *row[:3]] for row in rows)
PYTHON
metric --steps 60 --judgments train.csv -o csv
same csv/last.safetensors whole/last.safetensors

# The metric knows a reference from another sentence, and so does one that reads no references.
good=$(nmt bleu test.tgt -m comet --comet run --source test.src --score-only --quiet <test.tgt)
tac test.tgt >other
holds "$good > 0.2 + $(nmt bleu test.tgt -m comet --comet run --source test.src --score-only --quiet <other)"
cut -f 1,2,4 train.tsv >unreferenced.tsv
metric --preset comet-qe-small --judgments unreferenced.tsv --steps 60 -o qe
nmt bleu test.tgt -m comet --comet qe/best.safetensors --source test.src --score-only --quiet <test.tgt >score
nmt info qe/last.safetensors >info
grep -q "kind *referenceless" info || fail "$(<info)"
nmt average run/ -o mean.safetensors --quiet
nmt bleu test.tgt -m comet --comet mean.safetensors --source test.src --score-only --quiet <test.tgt >score
nmt convert run/last.safetensors --precision int8 -o int8.safetensors --quiet
nmt report run/ -o report.html --quiet

# Judges choose translations, and pairs for training.
nmt train --preset transformer-tiny --vocab words.spm --source train.src --target train.tgt --d-model 32 --d-ff 64 --heads 2 \
  --warmup 10 --steps 20 --save-every 0 --quiet -o model
nmt translate -m model --mbr comet --comet run --candidates 4 --sample --max-length-factor 1 --quiet <test.src >chosen
equal "$(wc -l <chosen)" 50 "lines"
nmt translate -m model --rerank-by qe --candidates 3 --beam 3 --quiet <test.src >chosen
equal "$(wc -l <chosen)" 50 "lines"
nmt batch --source train.src --target train.tgt --vocab words.spm --quality-model qe --min-quality 0.1 -o good.nmtc --quiet

# What does not fit is refused.
refuses 2 "learns from judgments; give --judgments" nmt train --preset comet-small --vocab words.spm -o no
refuses 2 "trains a metric; give --preset comet-small" nmt train --judgments train.tsv --vocab words.spm -o no
refuses 2 "needs a vocabulary; give --vocab" nmt train --preset comet-small --judgments train.tsv -o no
refuses 2 "leave out --source and --target" metric --source train.src --target train.tgt -o no
refuses 2 "needs a model that translates, not a metric" metric --r-drop 1 -o no
refuses 2 "choose kendall, pearson or loss" metric --best-by chrf -o no
refuses 2 "only metrics of kind regression and referenceless" metric --kind unified -o no
refuses 2 "measures metrics; choose" nmt train --preset transformer-tiny --vocab words.spm --source train.src --target train.tgt \
  --valid-source test.src --valid-target test.tgt --best-by pearson -o no
refuses 1 "missing column 'src'" metric --judgments train.src -o no
refuses 1 "line 3: the score is 'x', not a number" metric --judgments <(head -n 2 train.tsv; printf 'a\tb\tc\tx\n') -o no
refuses 1 "was trained on another text" metric --judgments test.tsv --steps 70 -o whole
