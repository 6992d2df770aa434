#!/usr/bin/env bash
# Language models: trained on targets only, scored, and fused with a translation model; right-to-left models; and n-best
# lists rescored by all of these.
. "$(dirname "$0")/../lib.sh"
make_model
tiny=(--preset lm-small --d-model 64 --d-ff 128 --decoder-layers 1 --dropout 0 --warmup 100 --batch-tokens 500
  --save-every 0 --quiet)

# A text, as a file, a packed corpus of targets or of pairs, always gives the same model.
nmt train "${tiny[@]}" --vocab words.spm --target train.tgt --valid-target test.tgt --steps 200 -o lm
nmt batch --target train.tgt --vocab words.spm -o targets.nmtc --quiet
nmt batch targets.nmtc >shown
grep -q "^source: none" shown || fail "the corpus says: $(<shown)"
grep -q "targets.nmtc: 500 pairs of 500" shown || fail "the corpus says: $(<shown)"
nmt train "${tiny[@]}" --train targets.nmtc --steps 20 -o packed
nmt train "${tiny[@]}" --vocab words.spm --target train.tgt --steps 20 -o text
nmt score -m packed --target test.tgt --quiet >packed.scores
nmt score -m text --target test.tgt --quiet >text.scores
same packed.scores text.scores
nmt batch --source train.src --target train.tgt --vocab words.spm --max-ratio 0 -o pairs.nmtc --quiet
nmt train "${tiny[@]}" --train pairs.nmtc --steps 5 -o pairs.run
nmt train "${tiny[@]}" --vocab words.spm --target train.tgt --steps 10 -o text2
nmt train "${tiny[@]}" --vocab words.spm --target train.tgt --steps 20 -o text2
same text/last.safetensors text2/last.safetensors

# The perplexity of nmt score is that of the validation.
grep -q '"source_tokens": *0,' lm/metrics.jsonl || fail "sources are counted: $(head -n 1 lm/metrics.jsonl)"
perplexity=$(nmt score -m lm/last.safetensors --target test.tgt --summary perplexity --quiet)
logged=$(grep '"valid"' lm/metrics.jsonl | tail -n 1 | sed -E 's/.*"perplexity": *([0-9.]+).*/\1/')
holds "($perplexity - $logged) ^ 2 < 0.0001 && $perplexity < 5"
tac test.tgt | awk '{ for (i = NF; i > 0; --i) printf "%s%s", $i, (i > 1 ? " " : "\n") }' >backwards
holds "$(nmt score -m lm --target backwards --summary perplexity --quiet) > 3 * $perplexity"

# Other commands support it, or refuse it by name.
nmt info lm/last.safetensors >info
grep -q "type *lm" info || fail "info says: $(<info)"
nmt average lm/last.safetensors text/last.safetensors -o mean.safetensors --quiet
nmt convert -m lm/last.safetensors --precision int8 -o small.safetensors --quiet
holds "$(nmt score -m small.safetensors --target test.tgt --summary perplexity --quiet) < 1.2 * $perplexity"
refuses 1 "is a language model, of type lm, which cannot translate" nmt translate -m lm/last.safetensors <test.src
refuses 1 "use it to score text \(nmt score\), or together with a translation model \(--lm of nmt translate\)" \
  nmt serve -m lm/last.safetensors --port 0 --quiet
refuses 1 "is a language model" nmt attention -m lm/last.safetensors --source test.src -o page.html
refuses 1 "is a language model" nmt translate -m model.safetensors -m lm/last.safetensors <test.src
refuses 1 "of type lm, which cannot be written for marian" nmt convert -m lm/last.safetensors --to marian -o no
refuses 2 "leave out --source" nmt score -m lm/last.safetensors --source test.src --target test.tgt
refuses 2 "--target is given without --source; leave out --alignment" nmt score -m lm/last.safetensors --target test.tgt --alignment hard
refuses 2 "contains only targets" nmt train "${small[@]}" --train targets.nmtc -o no
refuses 2 "contains only targets" nmt train "${small[@]}" --vocab words.spm --target train.tgt -o no
refuses 2 "has no source" nmt train "${tiny[@]}" --vocab words.spm --source train.src --target train.tgt -o no
refuses 2 "translates nothing; set it to 0" nmt train "${tiny[@]}" --vocab words.spm --target train.tgt \
  --valid-target test.tgt --valid-beam 4 -o no
refuses 2 "is given without --source" nmt batch --target train.tgt --vocab words.spm --alignment test.tgt -o no

# With fusion, the score of a translation combines both models, with any batch size, number of threads and beam.
fused=(nmt translate -m model.safetensors --lm lm --lm-weight 0.3 --quiet --length-penalty 0)
nmt translate -m model.safetensors --quiet --length-penalty 0 <test.src >plain
"${fused[@]}" --scores <test.src >found
if cut -f 2 found | cmp -s - plain; then fail "the language model does not count"; fi
"${fused[@]}" --scores --batch-tokens 1 --threads 1 <test.src >alone
same found alone
cut -f 2 found >text.found
# (Except translations that the length limit truncates, which have no EOS to score.)
paste <(cut -f 1 found) <(nmt score -m model.safetensors --source test.src --target text.found --quiet) \
  <(nmt score -m lm --target text.found --quiet) text.found |
  awk 'NF < 50 { ++whole; d = $1 - $2 - 0.3 * $3; if (d < 0) d = -d; if (d > 1e-4) others = 1 } END { exit others || whole < 40 }' || fail "the scores are of something else"
"${fused[@]}" -m model.safetensors --weights 2 --weights 1 --scores <test.src >twice
cut -f 2 twice | cmp -s - text.found || fail "an ensemble of a model with itself finds something else"
"${fused[@]}" --n-best 3 --alignment hard <test.src >list
equal "$(grep -c ' ||| [0-9]*-[0-9]' list)" 150 "aligned entries"
nmt translate -m model.safetensors --lm small.safetensors --precision int8 --quiet <test.src >int8
equal "$(wc -l <int8)" 50 "lines"
refuses 2 "lm-weight needs a language model" nmt translate -m model.safetensors --lm-weight 1 <test.src
refuses 1 "is a translation model" nmt translate -m model.safetensors --lm model.safetensors <test.src
nmt vocab -i train.tgt -o other.spm --type word --size 30 --quiet
nmt train "${tiny[@]}" --vocab other.spm --target train.tgt --steps 1 -o other
refuses 1 "different target vocabularies" nmt translate -m model.safetensors --lm other/last.safetensors <test.src

# A right-to-left model, which all commands recognize by its file.
train --steps 150 --source-direction right-to-left --target-direction right-to-left --decoder-start zero --positions tensor2tensor -o r2l
nmt translate -m r2l --quiet <test.src >backward
holds "$(nmt bleu test.tgt --score-only --quiet <backward) > 40"
nmt translate -m r2l --scores --length-penalty 0 --quiet <test.src >scored
cut -f 2 scored >text.scored
paste <(cut -f 1 scored) <(nmt score -m r2l --source test.src --target text.scored --quiet) |
  awk '{ d = $1 - $2; if (d < 0) d = -d; if (d > 1e-4) exit 1 }' || fail "search and scoring differ"
nmt score -m r2l/last.safetensors --source test.src --target test.tgt --per-token --quiet >before
nmt convert -m r2l/last.safetensors --to marian -o marian --quiet
nmt score -m marian --source test.src --target test.tgt --per-token --quiet >after
same before after
refuses 1 "in different directions" nmt translate -m model.safetensors -m r2l/last.safetensors <test.src
refuses 1 "from right to left" nmt convert -m r2l/last.safetensors --to ctranslate2 -o no

# Rescoring: each feature is the score of its model, and entries are ordered by the weighted sum.
nmt train "${small[@]}" --vocab words.spm --source train.tgt --target train.src --steps 100 --save-every 0 --quiet \
  -o channel
nmt translate -m model.safetensors --n-best 4 --quiet <test.src >list
rescore=(nmt score -m model.safetensors --source test.src --n-best - --channel-model channel --lm lm
  --right-to-left-model r2l --quiet)
"${rescore[@]}" <list >features
awk -F ' [|][|][|] ' '{ print $2 }' features >texts
awk -F ' [|][|][|] ' '{ print $1 + 1 }' features | while read -r n; do sed -n "${n}p" test.src; done >sources
nmt score -m model.safetensors --source sources --target texts --quiet >a
nmt score -m channel --source texts --target sources --quiet >b
nmt score -m lm --target texts --quiet >c
nmt score -m r2l --source sources --target texts --quiet >d
paste -d ' ' a b c d | awk '{ print "Score= " $1 " Channel= " $2 " LM= " $3 " R2L= " $4 }' >expected
awk -F ' [|][|][|] ' '{ print $3 }' features >got
same got expected
weights=(--channel-weight 0.5 --lm-weight 0.25 --right-to-left-weight 2)
"${rescore[@]}" "${weights[@]}" --rerank list <list >ranked
awk -F ' [|][|][|] ' '{ split($3, f, " "); d = f[2] + 0.5 * f[4] + 0.25 * f[6] + 2 * f[8] - $4
    if (d > 1e-4 || d < -1e-4 || ($1 in last && $4 > last[$1]) || $1 < line) exit 1
    last[$1] = $4; line = $1 }' ranked || fail "the list is not ranked by the sum"
sort features | cut -d '|' -f 1-8 >all
sort ranked | cut -d '|' -f 1-8 | cmp -s - all || fail "entries are lost"
"${rescore[@]}" "${weights[@]}" --rerank best <list >best
awk -F ' [|][|][|] ' '!seen[$1]++ { print $2 }' ranked >first
same best first
grep -v '^[12] ' list | "${rescore[@]}" --rerank best >gaps
equal "$(sed -n 2,3p gaps | tr -d '\n')" "" "lines without entries"
refuses 2 "give --rerank" "${rescore[@]}" --lm-weight 1 <list
refuses 2 "needs an n-best list" nmt score -m model.safetensors --source test.src --target test.tgt --lm lm/last.safetensors
refuses 1 "translates from left to right" nmt score -m model.safetensors --source test.src --n-best list \
  --right-to-left-model model.safetensors
refuses 1 "is a translation model" nmt score -m model.safetensors --source test.src --n-best list \
  --lm model.safetensors
