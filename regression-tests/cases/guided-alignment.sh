#!/usr/bin/env bash
# Training attention towards word alignments: a model whose first head aligns words, runs that continue exactly, and
# invalid alignments.
. "$(dirname "$0")/../lib.sh"
make_text
nmt vocab -i train.src -i train.tgt -o words.spm --type word --size 57 --user-symbols '<BT>' --quiet

# The alignment of the artificial language, whose target words are reversed source words followed by an o.
align() { # SOURCE TARGET
  paste "$1" "$2" | awk -F '\t' '
    function mapped(text, i, out) {
      if (text == "the") return "la"
      if (text == "near") return "apud"
      if (text == ".") return "."
      for (i = length(text); i > 0; --i) out = out substr(text, i, 1)
      return out "o"
    }
    {
      n = split($1, source, " "); m = split($2, target, " "); line = ""
      split("", taken)
      for (i = 1; i <= n; ++i)
        for (j = 1; j <= m; ++j)
          if (!(j in taken) && target[j] == mapped(source[i])) { taken[j]; line = line " " i - 1 "-" j - 1; break }
      print substr(line, 2)
    }'
}
align train.src train.tgt >train.align
align test.src test.tgt >test.align
equal "$(head -n 500 train.tgt | wc -w)" "$(wc -w <train.align)" "links, one for each word"

pack() { nmt batch --vocab words.spm --source train.src --target train.tgt --quiet -o "$@"; } # FILE [OPTION...]
pack plain.nmtc
pack aligned.nmtc --alignment train.align
pack tagged.nmtc --alignment train.align --source-tag '<BT>'
nmt batch aligned.nmtc >report
grep -q '^alignment: of each pair$' report || fail "no message about the alignment: $(<report)"
nmt info --json aligned.nmtc | contains '"alignment": true' || fail "no message about the alignment: $(nmt info --json aligned.nmtc)"
if nmt batch plain.nmtc | grep alignment; then fail "an alignment where there is none"; fi
equal "$(od -An -tu1 -j 8 -N 1 plain.nmtc | xargs) $(od -An -tu1 -j 8 -N 1 aligned.nmtc | xargs)" "2 3" "versions"

training=("$NMT" train "${small[@]}" --valid-source test.src --valid-target test.tgt --valid-every 75 --valid-beam 1
  --decoder-layers 2 --learning-rate 2 --save-every 50 --log-every 25 --quiet)
run() { overriding "${training[@]}" --steps 150 -o "$@"; } # DIRECTORY [OPTION...]
guided=(--train aligned.nmtc --guided-alignment-weight 0.5 --dropout 0.1)

# Prints the share of test words that the first head aligns correctly.
agreement() { # MODEL
  nmt score -m "$1" --source test.src --target test.tgt --alignment hard --alignment-head 1 --quiet |
    sed 's/.*||| //' | paste - test.align |
    awk -F '\t' '{
      n = split($1, found, " "); m = split($2, right, " ")
      split("", is_right)
      for (i = 1; i <= m; ++i) is_right[right[i]]
      for (i = 1; i <= n; ++i) { ++all; if (found[i] in is_right) ++good }
    } END { print good / all }'
}
run whole "${guided[@]}"
run free --train aligned.nmtc --dropout 0.1
holds "$(agreement whole) > 0.8"
holds "$(agreement whole) > $(agreement free) + 0.2"

# A run continues exactly. Text without alignments is not guided, and can be mixed with other text.
run again "${guided[@]}" --steps 50
run again "${guided[@]}"
same again/last.safetensors whole/last.safetensors
run plain --train plain.nmtc --dropout 0.1
same plain/last.safetensors free/last.safetensors
run mixed --train plain.nmtc:1 --train tagged.nmtc:1 --guided-alignment-weight 0.5 --steps 4
"${training[@]}" "${guided[@]}" --steps 4 -o dry --dry-run >dry.out
grep -q "^guided_alignment_weight: 0.5$" dry.out || fail "not in the configuration: $(<dry.out)"

# Unpacked text with alignments, in a file or a column, trains like packed text. Here each word is a piece.
text=(--vocab words.spm --source train.src --target train.tgt)
few=(--guided-alignment-weight 0.5 --dropout 0.1 --steps 8 --log-every 2)
run packed --train aligned.nmtc "${few[@]}"
run text "${text[@]}" --alignment train.align "${few[@]}"
equal "$(metrics text)" "$(metrics packed)" "metrics of training on text"
paste train.src train.align train.tgt >train.tsv
run columns --vocab words.spm --tsv train.tsv --tsv-columns source,alignment,target --alignment-units pieces "${few[@]}"
equal "$(metrics columns)" "$(metrics packed)" "metrics of training on columns"
nmt batch --vocab words.spm --tsv train.tsv --tsv-columns source,alignment,target --quiet -o columns.nmtc
same columns.nmtc aligned.nmtc
run columns "${few[@]}" --steps 10
grep -q '"step": *10,' columns/metrics.jsonl || fail "the run does not go on"
refuses 2 "unknown column 'traget', did you mean 'target'\?" run x --vocab words.spm --tsv train.tsv --tsv-columns source,traget
refuses 2 "tsv-columns: one column must be the source and one the target" run x --vocab words.spm --tsv train.tsv --tsv-columns source
refuses 2 "has a column of alignment; leave out --alignment" run x --vocab words.spm --tsv train.tsv \
  --tsv-columns source,target,alignment --alignment train.align "${few[@]}"
refuses 2 "tsv-columns needs a file of columns; give --tsv" run x "${text[@]}" --tsv-columns source,target
refuses 2 "alignment guides attention with the weight --guided-alignment-weight, which is 0" run x "${text[@]}" --alignment train.align
refuses 1 "train.tsv', line 1: 3 columns; a line must have the source and the target" run x --vocab words.spm --tsv train.tsv

refuses 2 "guided-alignment-weight needs word alignments; give --alignment, in nmt batch" \
  "${training[@]}" --train plain.nmtc --guided-alignment-weight 0.1 --steps 1 -o x
refuses 2 "guided-alignment-weight needs word alignments; give --alignment, or a column of --tsv" \
  "${training[@]}" --vocab words.spm --source train.src --target train.tgt --guided-alignment-weight 0.1 --steps 1 -o x
refuses 1 "500 lines.* 499" pack x.nmtc --alignment <(head -n 499 train.align)
refuses 1 "line 3: word 99 of the target, which has" pack x.nmtc --alignment <(sed '3s/.*/0-99/' train.align)
refuses 1 "line 2: 'x-0' is not an alignment of two words" pack x.nmtc --alignment <(sed '2s/.*/x-0/' train.align)
refuses 1 "missing" pack x.nmtc --alignment missing
[[ ! -e x && ! -e x.nmtc ]] || fail "a refused command left something"
