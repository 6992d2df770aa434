#!/usr/bin/env bash
# Marian's configurations, and the pipelines of doc/marian.md.
. "$(dirname "$0")/../lib.sh"
make_model

# The commands of the page, on files with the names that it uses.
mkdir pipelines
cp model.safetensors pipelines
cp words.spm pipelines/vocab.spm
for part in train test; do
  cp $part.src pipelines/$part.en
  cp $part.tgt pipelines/$part.de
done
# shellcheck disable=SC2016  # backticks are those of the page
sed -n '/^## Pipelines/,/^## /p' "$(dirname "$0")/../../doc/marian.md" | sed -n '/^```/,/^```/p' | grep -v '^```\|^#\|^$' >commands
equal "$(grep -c 'nmt ' commands)" 13 "commands of the page"
(
  cd pipelines
  printed() { # FILE LINES PATTERN
    equal "$(wc -l <"$1")" "$2" "lines of $command"
    [[ $(grep -Evc "$3" "$1") == 0 ]] || fail "$command prints: $(grep -Ev "$3" "$1" | sed -n 1p)"
  }
  # The model has learnt little: a translation may be empty.
  number='-[0-9]+\.[0-9]{6}'
  while read -r command; do
    rm -f scores words figure
    eval "$command" || fail "$command"
    case $command in
      *" > test.de") printed test.de 50 '^[a-z .]*$' ;;
      *" > test.nbest") printed test.nbest 300 "^[0-9]+ \|\|\| .* \|\|\| F0= $number \|\|\| $number\$" ;;
      *" > scored.nbest") printed scored.nbest 300 " \|\|\| F0= $number R2L= $number \|\|\| $number\$" ;;
      *" > test.aligned") printed test.aligned 50 '^([^|]+ \|\|\| [0-9]+-[0-9]+|[0-9 |]*$)' ;;
      *" > scores") printed scores 50 "^$number\$" ;;
      *" > words") printed words 50 "^$number \|\|\| WordScores= $number( $number)*\$" ;;
      *" > figure") printed figure 1 '^[0-9]+\.[0-9]{6}$' ;;
      *" run -q") [[ -s run/last.safetensors ]] || fail "nothing came of $command" ;;
      *) equal "$(wc -l <test.de)" 50 "lines of $command" ;;
    esac
  done <../commands
)

# The feature is the sum of log-probabilities. The score divides it by the number of words, plus one for EOS, which a
# translation of maximum length may lack.
nmt translate -m model.safetensors --n-best 2 --n-best-format marian --length-penalty 1 --length-normalization power \
  -q <test.src >list
awk -F ' [|][|][|] ' '{
  sub(/F0= /, "", $3)
  words = split($2, all, " ")
  whole = $3 - $4 * (words + 1)
  cut = $3 - $4 * words
  if (whole * whole > 1e-8 && (words < 50 || cut * cut > 1e-8)) { print; exit 1 } }' list || fail "another sum"
refuses 2 "n-best-format needs an n-best list; give --n-best" nmt translate -m model.safetensors --n-best-format marian

# A configuration of Marian trains the model that it describes, with Marian's defaults.
cat >model.yml <<'END'
# Like marian -c.
type: transformer
model: run/model.npz
train-sets: [train.src, train.tgt]
vocabs:
  - words.spm
  - words.spm
dim-emb: 32
transformer-dim-ffn: 64
transformer-heads: 4
transformer-preprocess: n
transformer-postprocess: da
transformer-postprocess-top: n
tied-embeddings-all: true
mini-batch-words: 500
learn-rate: 0.01
lr-warmup: 10
lr-decay-inv-sqrt: 10
exponential-smoothing: 0.01
after-batches: 8
save-freq: 4u
cpu-threads: 1
workspace: 2000
maxi-batch: 1000
END
nmt train --marian-config model.yml -o trained >out 2>err
grep -qx "warning: left out, without a counterpart in nmt: results stay the same without maxi-batch" err ||
  fail "says: $(grep warning err)"
for setting in "d_model: 32" "norm: pre" "final_norm: true" "activation: swish" "positions: tensor2tensor" \
  "tied_embeddings: all" "encoder_layers: 1" "schedule: inverse-sqrt" "warmup: 10" "ema: 0.99" "dropout: 0" \
  "max_length: 49" "max_ratio: 0" "steps: 8" "keep_last: 0" "device: cpu" "label_smoothing: 0"; do
  grep -Eq "^ *$setting\$" trained/config.yml || fail "no $setting in $(<trained/config.yml)"
done
equal "$(echo trained/step-*.safetensors | wc -w)" 2 "checkpoints"

# Settings files and the command line override it, and the run continues with it.
echo "warmup: 20" >own.yml
nmt train --marian-config model.yml --config own.yml --steps 3 -o other --dry-run >resolved 2>/dev/null
for setting in "warmup: 20" "steps: 3" "ema: 0.99"; do grep -Eq "^$setting\$" resolved || fail "no $setting"; done
nmt train --marian-config model.yml --steps 10 -o trained -q
grep -q '"step": *10' trained/metrics.jsonl || fail "the run does not go on"

# Typical configurations: a student with a column of alignments and a learning rate that falls later than its warm-up
# ends; a teacher by --task; a decoder with f16. Later files override earlier ones.
cat >student.yml <<'END'
type: transformer
dim-emb: 32
enc-depth: 1
enc-cell: gru
enc-cell-depth: 1
enc-type: bidirectional
dec-depth: 1
dec-cell: ssru
dec-cell-base-depth: 2
dec-cell-high-depth: 1
tied-embeddings-all: True
transformer-decoder-autoreg: rnn
transformer-dim-ffn: 64
transformer-ffn-activation: relu
transformer-ffn-depth: 2
transformer-guided-alignment-layer: last
transformer-heads: 4
transformer-no-projection: false
transformer-postprocess: dan
transformer-postprocess-emb: d
transformer-preprocess: ""
transformer-tied-layers: []
transformer-train-position-embeddings: false
END
cat >student-training.yml <<'END'
beam-size: 1
clip-norm: 0
cost-type: ce-mean-words
disp-first: 10
disp-freq: 1ku
early-stopping: 20
exponential-smoothing: True
guided-alignment: 2
keep-best: true
learn-rate: 0.0003
lr-decay-inv-sqrt: 32000
lr-report: True
lr-warmup: 16000
max-length: 200
maxi-batch: 1000
mini-batch: 1000
mini-batch-fit: True
normalize: 1
optimizer-delay: 2
optimizer-params: [0.9, 0.98, 1e-09]
save-freq: 5000
sentencepiece-alphas: 0
shuffle: batches
sync-sgd: true
tsv: true
tsv-fields: 3
valid-freq: 5000
valid-mini-batch: 64
END
awk '{ for (i = 0; i < NF; ++i) printf "%d-0 ", i; print "" }' train.src | paste train.src train.tgt - >train.tsv
student=(--marian-config student.yml --marian-config student-training.yml --tsv train.tsv --vocab words.spm --device cpu)
nmt train "${student[@]}" -o student --dry-run >resolved 2>messages
for setting in "decoder_layer: ssru" "ema: 0.9999" "schedule: inverse-sqrt" "warmup: 16000" "decay_start: 32000" \
  "learning_rate: 0.0003" "guided_alignment_weight: 0.1" "alignment_units: pieces" "- source,target,alignment" "delay: 2" \
  "log_every: 1000" "max_length: 199" "tied_embeddings: all"; do
  grep -Eq -- "^ *$setting\$" resolved || fail "no $setting in $(<resolved)"
done
grep -q "student-training.yml:23: shuffle: pairs are shuffled in every pass, and batches, too" messages ||
  fail "says: $(<messages)"
nmt train "${student[@]}" -o student --steps 2 --batch-tokens 500 --quiet 2>/dev/null
[[ -s student/last.safetensors ]] || fail "such a student is not trained"
printf 'quantize-bits: 8\n' >finetune.yml
refuses 2 "finetune.yml:1: quantize-bits \(give --quantization-aware\): no counterpart" \
  nmt train "${student[@]}" --marian-config finetune.yml -o new
nmt train "${student[@]}" --marian-config finetune.yml --quantization-aware -o new --dry-run >resolved 2>/dev/null
sed '/^tsv/d' student-training.yml >files.yml
refuses 2 "files.yml:8: guided-alignment \(a column .*; give --tsv, or --alignment FILE\)" nmt train \
  --marian-config student.yml --marian-config files.yml --source train.src --target train.tgt --vocab words.spm -o new

cat >teacher.yml <<'END'
type: transformer
task: transformer-base
workspace: 20000
optimizer-delay: 2
keep-best: true
overwrite: true
sigterm: save-and-exit
disp-freq: 1000u
save-freq: 5000u
max-length: 250
max-length-crop: False
shuffle: batches
sharding: global
sync-freq: 200u
cpu-threads: 0
mini-batch: 4096
mini-batch-words: 0
mini-batch-fit: true
mini-batch-fit-step: 10
sentencepiece-alphas: 0
check-gradient-nan: true
fp16: True
valid-freq: 5000u
valid-metrics: [chrf, bleu, ce-mean-words]
valid-reset-stalled: true
early-stopping: 5
early-stopping-on: first
beam-size: 4
normalize: 1
valid-mini-batch: 64
valid-max-length: 1000
END
nmt train --marian-config teacher.yml --source train.src --target train.tgt --vocab words.spm --valid-source test.src \
  --valid-target test.tgt --device cpu -o teacher --dry-run >resolved 2>messages
for setting in "d_model: 512" "ema: 0.9999" "warmup: 16000" "decay_start: 0" "precision: f32" "valid_beam: 4" \
  "best_by: chrf" "keep_last: 1" "early_stopping: 5"; do
  grep -Eq -- "^ *$setting\$" resolved || fail "no $setting in $(<resolved)"
done
grep -q "teacher.yml:22: fp16: .* the CPU computes in f32" messages || fail "says: $(<messages)"
cat >fp16.yml <<'END'
normalize: True
word-penalty: 0
mini-batch-words: 5000
maxi-batch: 10000
maxi-batch-sort: src
fp16: true
max-length: 200
max-length-crop: true
beam-size: 3
quiet-translation: True
skip-cost: False
END
nmt translate --marian-config fp16.yml -m model.safetensors --device cpu <test.src >translated
nmt translate -m model.safetensors --beam 3 --beam-rules marian --length-penalty 1 --length-normalization power --no-unk \
  --max-length-factor 3 --max-length-extra 3 -q <test.src >expected
same translated expected

# Settings without a counterpart that change results are one error that names all of them, and can be ignored.
refused="m.yml:2: ulr, m.yml:3: mini-batch \(.*--batch-tokens\), m.yml:4: 'beem' \(unknown to this program of \
Marian\): no counterpart in nmt, and results differ without it; remove it from the file, or give --ignore-unmapped"
printf 'type: transformer\nulr: true\nmini-batch: 128\nbeem: 3\nvocabs: [words.spm, words.spm]\n' >m.yml
refuses 2 "$refused" nmt train --marian-config m.yml -o new
refuses 2 "'m.yml' is a configuration of Marian, with 'ulr' and 'mini-batch'; give it as --marian-config" nmt train \
  --config m.yml -o new
refuses 2 "ulr, m.yml:4" nmt train --marian-config m.yml --batch-tokens 500 -o new
nmt train --marian-config m.yml --ignore-unmapped --source train.src --target train.tgt --steps 1 --dry-run -o new 2>err >out
grep -q "^warning: left out, without a counterpart in nmt: results differ without m.yml:2: ulr" err ||
  fail "says: $(<err)"
printf 'type: transformer\ndim-emb: 30\nlabel-smoothing: %s\n' 0 >bad.yml
refuses 2 "bad.yml:2: dim-emb and bad.yml: transformer-heads \(by default\): .*heads" nmt train --marian-config bad.yml \
  --source train.src --target train.tgt --vocab words.spm -o new
printf 'type: transformer\ndim-emb: 30\nlabel-smoothing: %s\n' 2 >bad.yml
refuses 2 "bad.yml:3: label-smoothing: expected a number from 0 to 1, got '2'" nmt train --marian-config bad.yml -o new
refuses 2 "ignore-unmapped needs a configuration of Marian; give --marian-config" nmt train --ignore-unmapped -o new
refuses 2 "cannot read the settings file 'missing.yml'" nmt translate --marian-config missing.yml

# Translating and scoring.
mkdir deep
cp model.safetensors deep
cat >deep/decoder.yml <<'END'
relative-paths: true
models: [model.safetensors]
vocabs: [words.spm, words.spm]
beam-size: 3
normalize: 1
n-best: true
mini-batch: 32
maxi-batch: 100
maxi-batch-sort: src
END
nmt translate --marian-config deep/decoder.yml -q <test.src >list
nmt translate -m model.safetensors --beam 3 --beam-rules marian --length-penalty 1 --length-normalization power --no-unk \
  --max-length-factor 3 --max-length-extra 3 --n-best 3 --n-best-format marian -q <test.src >expected
same list expected
nmt translate --marian-config deep/decoder.yml -q --beam 1 --n-best 1 <test.src >greedy
equal "$(wc -l <greedy)" 50 "lines"
nmt shortlist -m model.safetensors --source train.src --target train.tgt --best 3 --frequent 5 -o deep/lex --quiet
echo "shortlist: [lex, false]" >>deep/decoder.yml
nmt translate --marian-config deep/decoder.yml -q --beam 1 --n-best 1 <test.src >listed
nmt translate --marian-config deep/decoder.yml -q --beam 1 --n-best 1 --no-shortlist <test.src >unlisted
same unlisted greedy
! cmp -s listed greedy || fail "the shortlist of a configuration has no effect"
printf 'model: model.safetensors\ntrain-sets: [test.src, list]\nn-best: true\nn-best-feature: F1\n' >scorer.yml
nmt score --marian-config scorer.yml -q >scored
grep -Evq ' \|\|\| F0= -[0-9.]+ F1= -[0-9.]+ \|\|\| ' scored && fail "scores look otherwise: $(head -n 1 scored)"
# A translation that was truncated at the limit has no EOS, but EOS is scored.
awk -F ' [|][|][|] ' 'NR == FNR { limit[NR - 1] = 3 * split($1, words, " ") + 3; next }
  { split($3, f, " "); d = split($2, words, " ") < limit[$1] ? f[2] - f[4] : 0
    if (d * d > 1e-8) { print; exit 1 } }' test.src scored || fail "another score than the search's"

# N-best lists of Marian itself, which limited all lines of a batch by the longest one.
models=${NMT_REFERENCE_DATA:-}/foreign/marian
if [[ -d $models ]]; then
  cat >decoder.yml <<END
models: [$models/transformer-post/model.npz]
vocabs: [$models/joint.spm, $models/joint.spm]
beam-size: 6
normalize: 1
n-best: true
END
  nmt translate --marian-config decoder.yml -q <"$models/in.en" >list
  sed 's/ ||| WordScores= [^|]*|||/ |||/' "$models/transformer-post/nbest6.txt" | paste -d '\n' list - |
    awk -F ' [|][|][|] ' 'NR % 2 { text = $2; sum = substr($3, 5); score = $4; next }
      { total += 1; if (text != $2) next
        same += 1; d = sum - substr($3, 5); e = score - $4
        if (d * d > 1e-6 || e * e > 1e-8) { print; bad = 1 } }
      END { print same, total; exit bad || same < 0.9 * total || total != 600 }' >compared ||
    fail "another n-best list than Marian's: $(<compared)"
fi
