#!/usr/bin/env bash
# Words are numbered as in the given and the printed text. This applies even to marks that the vocabulary turns into spaces,
# so that the model sees the text without them.
. "$(dirname "$0")/../lib.sh"
make_model
marks=($'\u200b' $'\u200c' $'\u200e' $'\ufeff' $'\ufffd' $'\u00a0' $'\u3000')
translate() { nmt translate -m model.safetensors --quiet "$@"; }
marked() { awk -v m="$1" "{ $2; print }"; } # MARK AWK: puts the mark into lines

head -n 5 test.src >plain
translate --alignment 0.05 <plain >expected
grep -q '||| .*2-' expected || fail "no link of the third word: $(<expected)"
# Prints the links of the words from a given number on, in the source or target, as if one more word preceded them.
shifted() { # SIDE FIRST
  awk -F ' [|][|][|] ' -v side="$1" -v first="$2" '{
    n = split($2, links, " "); line = ""
    for (i = 1; i <= n; ++i) {
      split(links[i], link, "-")
      if (link[side] >= first) ++link[side]
      line = line " " link[1] "-" link[2]
    }
    print $1 " |||" line
  }'
}
for mark in "${marks[@]}"; do
  # The mark as a word of its own, which has no link.
  shifted 1 2 <expected >right
  marked "$mark" '$3 = m " " $3' <plain | translate --alignment 0.05 >found
  same found right
  # The mark at an end of the line, after words, and before words.
  marked "$mark" '$0 = $0 " " m' <plain | translate --alignment 0.05 | sed "s/ *$mark//" >found
  same found expected
  marked "$mark" '$2 = $2 m; $4 = m m $4' <plain | translate --alignment 0.05 >found
  same found expected
  # Elements are around the same words.
  marked '' '$3 = "<b>" $3 "</b>"' <plain | translate --markup >right
  if [[ $mark != $'\u00a0' && $mark != $'\u3000' ]]; then # white space in HTML
    marked "$mark" '$2 = $2 " " m; $3 = "<b>" $3 m "</b>"; $5 = m " " $5' <plain | translate --markup >found
    same found right
  fi
done
# A line of only such marks has no pieces, but has words.
for mark in "${marks[@]:0:5}"; do
  equal "$(printf 'x\n%s %s\n' "$mark" "$mark" | translate --alignment soft | tail -n 1)" " ||| 0,0,1" "alignment of marks"
done

# Both sides of given pairs.
paste train.src train.tgt | awk -F '\t' '{ n = split($1, s, " "); t = split($2, w, " "); line = ""
  for (i = 0; i < n && i < t; ++i) line = line " " i "-" i
  print substr(line, 2) }' >train.align
awk '{ line = ""; for (i = 1; i <= NF; ++i) line = line " " i / 4; print substr(line, 2) }' train.tgt >train.weights
pack() { # OUTPUT SOURCE TARGET ALIGNMENT WEIGHTS
  nmt batch --vocab words.spm --source "$2" --target "$3" --alignment "$4" --weights "$5" --quiet -o "$1"
}
pack right.nmtc train.src train.tgt train.align train.weights
for mark in "${marks[@]}"; do
  marked "$mark" '$2 = m " " $2' <train.src >marked.src
  marked "$mark" '$0 = $0 m; $3 = m " " $3' <train.tgt >marked.tgt
  sed 's/^/x ||| /' train.align | shifted 1 1 | shifted 2 2 | sed 's/^x ||| *//' >marked.align
  awk '{ $3 = "7 " $3; print }' train.weights >marked.weights
  pack found.nmtc marked.src marked.tgt marked.align marked.weights
  same found.nmtc right.nmtc
  if pack none.nmtc marked.src marked.tgt train.align train.weights 2>err; then fail "too few weights are taken"; fi
  grep -q "line 1: .* weights, but the target has .* words" err || fail "$(<err)"
  nmt score -m model.safetensors --source test.src --target test.tgt --alignment 0.05 --quiet | shifted 1 1 | shifted 2 2 >right
  marked "$mark" '$2 = m " " $2' <test.src >marked.src
  marked "$mark" '$3 = m " " $3' <test.tgt >marked.tgt
  nmt score -m model.safetensors --source marked.src --target marked.tgt --alignment 0.05 --quiet >found
  same found right
done
