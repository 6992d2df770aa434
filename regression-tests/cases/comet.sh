#!/usr/bin/env bash
# COMET checkpoints judge translations as unbabel-comet does, and choose among candidates.
. "$(dirname "$0")/../lib.sh"
models=${NMT_REFERENCE_DATA:-}/foreign/comet
[[ -d $models ]] || skip "NMT_REFERENCE_DATA names no folder with foreign/comet"

# Writes the texts of a checkpoint's answers, and the answers themselves.
texts_of() { # NAME
  python3 - "$models/$1/answers.json" <<'PYTHON'
import json, sys
segments = json.load(open(sys.argv[1]))["segments"]
for key, name in (("src", "source"), ("mt", "hypothesis"), ("ref", "reference")):
    open(name, "w").write("".join(s.get(key, "") + "\n" for s in segments))
json.dump([[s["score"], s.get("error_spans", [])] for s in segments], open("answers", "w"))
PYTHON
}

# Compares scores with those of the answers.
close_to_answers() { # FILE MOST_DIFFERENCE
  python3 - "$1" "$2" <<'PYTHON'
import json, sys
answers = [score for score, _ in json.load(open("answers"))]
ours = [float(line) for line in open(sys.argv[1])]
assert len(ours) == len(answers), (len(ours), len(answers))
assert all(abs(mine - score) <= float(sys.argv[2]) for mine, score in zip(ours, answers)), (ours, answers)
PYTHON
}

# Compares the lines of --sentence-level --json with the answers.
compare() { # FILE MOST_DIFFERENCE
  python3 - "$1" "$2" <<'PYTHON'
import json, sys
answers = json.load(open("answers"))
ours = [json.loads(line) for line in open(sys.argv[1])]
assert len(ours) == len(answers), (len(ours), len(answers))
for number, (mine, (score, spans)) in enumerate(zip(ours, answers), 1):
    assert abs(mine["score"] - score) <= float(sys.argv[2]), (number, mine["score"], score)
    errors = mine.get("errors", [])
    assert len(errors) == len(spans), (number, errors, spans)
    for error, span in zip(errors, spans):
        assert all(error[key] == span[key] for key in ("text", "severity", "start", "end")), (number, error, span)
        assert abs(error["confidence"] - span["confidence"]) < 1e-4, (number, error, span)
PYTHON
}

judge=(nmt bleu -m comet --source source -i hypothesis --quiet)
for name in comet-da comet-qe kiwi xcomet; do
  texts_of $name
  reference=()
  if [[ $name == comet-da || $name == xcomet ]]; then reference=(reference); fi
  "${judge[@]}" "${reference[@]}" --comet "$models/$name" --sentence-level --json -w 9 >scores || fail "$name"
  compare scores 1e-5 || fail "$name: not the scores of unbabel-comet"
  nmt convert "$models/$name" -o $name.safetensors --quiet
  "${judge[@]}" "${reference[@]}" --comet $name.safetensors --sentence-level --json -w 9 >converted
  cmp <(grep -o '"score": [^,]*' scores) <(grep -o '"score": [^,]*' converted) || fail "$name: converted, it differs"
  for precision in bf16 int8; do
    nmt convert "$models/$name" --precision $precision -o $precision.safetensors --quiet --overwrite
    "${judge[@]}" "${reference[@]}" --comet "$models/$name" --precision $precision --sentence-level --score-only -w 9 >rounded
    close_to_answers rounded 2e-3 || fail "$name, $precision: not the scores of unbabel-comet"
    "${judge[@]}" "${reference[@]}" --comet $precision.safetensors --precision $precision --sentence-level --score-only -w 9 |
      same - rounded
  done
done
nmt info xcomet.safetensors >info
grep -q 'severities *minor major critical' info || fail "nmt info: $(<info)"

# The score of a text is the mean over its segments; a segment does not depend on the others.
texts_of comet-da
whole=$("${judge[@]}" reference --comet comet-da.safetensors -w 6 --score-only)
mean=$(python3 -c 'import json; a = json.load(open("answers")); print(sum(s for s, _ in a) / len(a))')
holds "$whole - $mean < 2e-6 && $mean - $whole < 2e-6"
for file in source hypothesis reference; do sed -n 7p $file >one.$file; done
nmt bleu -m comet --comet comet-da.safetensors --source one.source one.reference -i one.hypothesis -w 9 --score-only --quiet >one
"${judge[@]}" reference --comet comet-da.safetensors --sentence-level -w 9 --score-only >all
equal "$(<one)" "$(sed -n 7p all)" "a segment alone"

# The files of the encoder may be in the folder of the checkpoint.
mkdir complete && cp -r --no-preserve=mode "$models"/comet-da/. "$models"/encoder/. complete/
"${judge[@]}" reference --comet complete --sentence-level -w 9 --score-only >again
same again all

# With other metrics, systems and tests.
nmt bleu reference -m bleu,comet --comet comet-da.safetensors --source source -i hypothesis source --paired-bs --trials 50 --quiet >table
grep -q COMET table && grep -q 'p =' table || fail "a table of systems: $(<table)"
nmt bleu --comet kiwi.safetensors --source source --quiet <hypothesis | grep -q '^COMET|' || fail "an estimate without references"

# What is missing is named.
refuses 2 'name it with --source' nmt bleu reference -m comet --comet comet-da.safetensors -i hypothesis
refuses 2 'compares with a reference' nmt bleu -m comet --comet comet-da.safetensors --source source -i hypothesis
refuses 2 'name it with --comet' nmt bleu reference -m comet -i hypothesis
refuses 2 'name it with --comet' nmt bleu reference -m comet --source source -i hypothesis
refuses 1 'is an encoder.*hparams.yaml' nmt bleu reference --comet "$models/encoder" --source source -i hypothesis
refuses 1 "the source 'one.source' has 1 line" nmt bleu reference -m comet --comet comet-da.safetensors --source one.source -i hypothesis
refuses 1 'judges translations and makes none' nmt translate -m comet-da.safetensors -i source
mkdir alone && cp -r "$models/comet-da/hparams.yaml" "$models/comet-da/checkpoints" alone
refuses 1 'the tokenizer of .* is missing' nmt bleu reference --comet alone --source source -i hypothesis
nmt bleu reference --comet alone --vocab "$models/encoder" --source source -i hypothesis -m comet --score-only --quiet -w 6 >named
equal "$(<named)" "$whole" "with a named tokenizer"
cache=hub/models--me--comet/snapshots/0123
mkdir -p $cache hub/models--s--encoder/snapshots/4567 && cp -r alone/* $cache
cp "$models"/encoder/*.json "$models"/encoder/*.model hub/models--s--encoder/snapshots/4567
nmt bleu reference --comet $cache --source source -i hypothesis -m comet --score-only --quiet -w 6 >cached
equal "$(<cached)" "$whole" "with a tokenizer in the cache of the Hub"
refuses 1 "cannot read 'missing'" nmt bleu reference --comet alone --vocab missing --source source -i hypothesis
refuses 2 'has one tokenizer' nmt convert alone --source-vocab "$models/encoder/tokenizer.json" -o alone.safetensors
head -c 100000 "$models/comet-da/checkpoints/model.ckpt" >alone/checkpoints/model.ckpt
refuses 1 "alone/checkpoints/model.ckpt" nmt bleu reference --comet alone --vocab "$models/encoder" --source source -i hypothesis

# Choices among candidates: the best by the estimate of the model itself, and of minimum risk.
make_model
head -n 4 test.src >few
nmt translate -m model.safetensors -i few --n-best 6 --beam 6 --distinct --quiet >candidates
nmt translate -m model.safetensors -i few --rerank-by kiwi.safetensors --candidates 6 --beam 6 --scores --quiet >chosen
for line in 0 1 2 3; do
  awk -F ' \\|\\|\\| ' -v line=$line '$1 == line { print $2 }' candidates >texts
  for _ in $(seq "$(wc -l <texts)"); do sed -n $((line + 1))p few; done >sources
  nmt bleu --comet kiwi.safetensors --source sources -i texts --sentence-level -w 3 --score-only --quiet |
    paste - texts | sort -t "$(printf '\t')" -k 1,1gr | head -n 1 | cut -f 2
done >best
equal "$(cut -f 2 chosen)" "$(<best)" "translations reranked by quality"
nmt translate -m model.safetensors -i few --mbr comet --comet comet-da.safetensors --candidates 6 --beam 6 --scores --quiet >exact
nmt translate -m model.safetensors -i few --mbr comet --comet comet-da.safetensors --mbr-exact 6 --candidates 6 --beam 6 --scores --quiet >same
cmp exact same || fail "all candidates are exact, but differ"
nmt translate -m model.safetensors -i few --mbr comet --comet comet-da.safetensors --mbr-exact 0 --candidates 6 --beam 6 --scores --quiet >fast
equal "$(wc -l <fast)" 4 "lines chosen by the mean of all candidates"
refuses 1 'does not read references' nmt translate -m model.safetensors -i few --mbr comet --comet kiwi.safetensors
sed 's/.*/{"text": "&", "mbr": "comet"}/' few >lines
nmt translate -m model.safetensors -i lines --input-format jsonl --mbr comet --comet comet-da.safetensors --candidates 6 --beam 6 \
  --scores --quiet >by_line
same by_line exact
refuses 1 "'mbr': comet needs a model" nmt translate -m model.safetensors -i lines --input-format jsonl
# Models that read texts together choose, too.
nmt translate -m model.safetensors -i few --mbr comet --comet xcomet.safetensors --candidates 3 --beam 3 --quiet >together
equal "$(wc -l <together)" 4 "lines chosen by all pairs of candidates"
head -n 4 test.tgt >references
nmt translate -m model.safetensors -i few --oracle comet --references references --comet xcomet.safetensors --candidates 6 \
  --beam 6 --scores --quiet >oracle
nmt bleu references -m comet --comet xcomet.safetensors --source few -i <(cut -f 2 oracle) --sentence-level -w 6 --score-only --quiet |
  paste - oracle | awk '{ d = $1 - $2; if (d > 2e-6 || d < -2e-6) exit 1 }' || fail "the oracle has other scores"
refuses 1 '--mbr-exact needs a COMET model of kind regression' nmt translate -m model.safetensors -i few --mbr comet \
  --comet xcomet.safetensors --mbr-exact 2
refuses 1 'needs references' nmt translate -m model.safetensors -i few --rerank-by comet-da.safetensors

# Estimates of quality are features of n-best lists, by which they are ranked.
score=(nmt score -m model.safetensors --source few --n-best candidates --quality-model kiwi.safetensors --quiet)
"${score[@]}" >features
awk -F ' \\|\\|\\| ' '{ print $2 }' features >texts
awk -F ' \\|\\|\\| ' '{ print $1 + 1 }' features | while read -r n; do sed -n "${n}p" few; done >sources
nmt bleu --comet kiwi.safetensors --source sources -i texts --sentence-level -w 6 --score-only --quiet >qualities
sed 's/.* Quality= \([^ ]*\) .*/\1/' features | paste - qualities |
  awk '{ d = $1 - $2; if (d > 2e-6 || d < -2e-6) exit 1 }' || fail "other qualities: $(paste features qualities)"
"${score[@]}" --quality-weight 1000 --rerank best >ranked
cut -f 2 chosen | same - ranked
alone=(nmt score --source few --n-best candidates --quality-model kiwi.safetensors --quiet)
"${alone[@]}" >quality_alone
sed 's/ Score= [^ ]*//' features | same - quality_alone
"${alone[@]}" --rerank best | same - ranked
refuses 2 '--model is required' nmt score --source few --n-best candidates
refuses 2 '--feature is the name of the score of a model' "${alone[@]}" --feature Direct
refuses 2 'needs an n-best list' nmt score -m model.safetensors --source few --target few --quality-model kiwi.safetensors
refuses 1 'needs references' nmt score -m model.safetensors --source few --n-best candidates --quality-model comet-da.safetensors

# Pairs of low quality are not packed.
nmt bleu --comet kiwi.safetensors --source test.src -i test.tgt --sentence-level --score-only -w 3 --quiet >qualities
least=$(sort -n qualities | sed -n 8p)
nmt batch --source test.src --target test.tgt --vocab words.spm --quality-model kiwi.safetensors --min-quality "$least" -o good.nmtc 2>packed
equal "$(nmt info good.nmtc --json | python3 -c 'import json, sys; print(json.load(sys.stdin)["pairs"])')" \
  "$(awk -v least="$least" '$1 >= least' qualities | wc -l)" "pairs of sufficient quality"
contains -q 'quality: mean .* below' <packed
nmt batch good.nmtc >shown
poor=$(awk -v least="$least" '$1 < least' qualities | wc -l)
contains -q "^good.nmtc: .* pairs of $(wc -l <qualities)," <shown || fail "other counts: $(<shown)"
contains -q "^dropped: .*$poor of low quality" <shown || fail "pairs of low quality are not counted: $(<shown)"

# Minimum risk training by the score of a model, with references and without. It continues exactly.
tune() { # DIRECTORY [OPTION...]
  overriding nmt train --from-weights model.safetensors --source train.src --target train.tgt --batch-tokens 200 --dropout 0 \
    --schedule constant --learning-rate 2e-3 --warmup 1 --log-every 10 --save-every 10 --risk-samples 6 --risk-sharpness 0.05 \
    --quiet -o "$@"
}
losses() { grep -o '"loss":[^,}]*' "$1/metrics.jsonl" | cut -d : -f 2; } # DIRECTORY
for risk in "comet comet-da" "comet xcomet" "quality kiwi"; do
  name=${risk#* }
  tune "$name" --risk "${risk% *}" --risk-model "$name.safetensors" --steps 40
  holds "$(losses "$name" | tail -n 1) < $(losses "$name" | sed -n 1p)"
done
tune continued --risk quality --risk-model kiwi.safetensors --steps 20
tune continued --steps 40
same continued/last.safetensors kiwi/last.safetensors
refuses 2 '--risk comet needs a model; name it with --risk-model' tune x --risk comet
refuses 2 '--risk-model needs minimum risk training by a model' tune x --risk chrf --risk-model kiwi.safetensors
refuses 1 'does not read references' tune x --risk comet --risk-model kiwi.safetensors
refuses 1 'needs references' tune x --risk quality --risk-model comet-da.safetensors
[[ ! -e x ]] || fail "a refused run left something"

# No output replaces a model that the command reads.
cp kiwi.safetensors kept.safetensors
refuses 2 'of --rerank-by, which would be lost' nmt translate -m model.safetensors -i few --rerank-by kept.safetensors -o kept.safetensors
mkdir lone && cp -r --no-preserve=mode "$models/kiwi" "$models/encoder" lone
for file in kiwi/hparams.yaml kiwi/checkpoints/model.ckpt encoder/sentencepiece.bpe.model; do
  refuses 2 'of --rerank-by, which would be lost' nmt translate -m model.safetensors -i few --rerank-by lone/kiwi -o lone/$file
done
refuses 2 'of --quality-model, which would be lost' nmt batch --source test.src --target test.tgt --vocab words.spm \
  --quality-model kept.safetensors -o kept.safetensors
refuses 2 'of --comet, which would be lost' nmt translate -m model.safetensors -i few --mbr comet --comet complete \
  -o complete/hparams.yaml
same kept.safetensors kiwi.safetensors

# The score of a validation is that of the translations by the model.
train --valid-source test.src --valid-target test.tgt --steps 30 --valid-every 15 --valid-beam 2 --overwrite \
  --valid-metrics comet --best-by comet --valid-comet comet-da.safetensors
nmt translate -m run/last.safetensors -i test.src --beam 2 --quiet >translated
nmt bleu test.tgt -m comet --comet comet-da.safetensors --source test.src -i translated -w 6 --score-only --quiet >judged
validated=$(grep '"event":"valid"' run/metrics.jsonl | tail -n 1 | grep -o '"comet":[^,]*' | cut -d : -f 2)
holds "$validated - $(<judged) < 1e-6 && $(<judged) - $validated < 1e-6"
refuses 2 'needs a model; name it with --valid-comet' nmt train "${small[@]}" --vocab words.spm --source train.src \
  --target train.tgt --valid-source test.src --valid-target test.tgt --best-by comet -o other
