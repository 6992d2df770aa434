#!/usr/bin/env bash
# Vocabularies of every type, from plain and compressed text. The same input gives the same bytes.
. "$(dirname "$0")/../lib.sh"
make_text

for type in unigram bpe char; do
  nmt vocab -i train.src -i train.tgt -o $type.spm --type $type --size 40 --quiet
  nmt vocab -i train.src train.tgt -o again-$type.spm --type $type --size 40 --quiet
  same $type.spm again-$type.spm
  rm again-$type.spm
done

# A vocabulary is replaced only by an equal one, or if that is wanted; other files are outputs like any other.
cp bpe.spm kept.spm
nmt vocab -i train.src train.tgt -o kept.spm --type bpe --size 40 --quiet
refuses 1 "'kept.spm' is another vocabulary, which models may need; .* --overwrite" \
  nmt vocab -i train.src train.tgt -o kept.spm --type char --size 40 --quiet
same bpe.spm kept.spm
nmt vocab -i train.src train.tgt -o kept.spm --type char --size 40 --quiet --overwrite
same char.spm kept.spm
echo text >kept.spm
nmt vocab -i train.src train.tgt -o kept.spm --type bpe --size 40 --quiet
nmt vocab -i train.src train.tgt -o - --type char --size 40 --quiet >kept.spm
same char.spm kept.spm
rm kept.spm
make_vocabulary
[[ $(sha256sum ./*.spm | cut -d ' ' -f 1 | sort -u | wc -l) == 4 ]] || fail "two types gave the same vocabulary"

# Compression does not matter.
gzip -k train.src && xz -k train.tgt
nmt vocab -i train.src.gz -i train.tgt.xz -o packed.spm --type bpe --size 40 --quiet
same bpe.spm packed.spm

# The requested symbols and bytes have pieces.
nmt vocab -i train.src -o symbols.spm --size 40 --user-symbols '<2de>,<2fr>' --quiet
for symbol in '<2de>' '<2fr>'; do grep -aqF "$symbol" symbols.spm || fail "no piece $symbol"; done
nmt vocab -i train.src -o spaces.spm --size 40 --user-symbols 'xq zq, de' --quiet
for symbol in 'xq▁zq' '▁de'; do grep -aqF "$symbol" spaces.spm || fail "no piece $symbol"; done
nmt batch --source train.src --target train.tgt --vocab spaces.spm --source-tag 'xq zq' -o tagged.nmtc --quiet
refuses 2 "the user symbol 'Xq Zq' never matches: --normalization nmt_nfkc_cf makes 'xq zq'" \
  nmt vocab -i train.src -o x.spm --size 40 --user-symbols 'Xq Zq' --normalization nmt_nfkc_cf
nmt vocab -i train.src -o bytes.spm --size 290 --byte-fallback --quiet
grep -aqF '<0xFF>' bytes.spm || fail "no pieces for bytes"
nmt vocab -i train.src -o plain.spm --size 40 --normalization identity --coverage 1 --quiet

# A text that does not yield enough pieces gives all it has.
nmt vocab -i train.src -o all.spm --size 40000 2>log
grep -Eq "^warning: the vocabulary has only [0-9]+ pieces, not 40000" log || fail "no message about fewer pieces: $(<log)"
nmt vocab -i train.src -o same.spm --size "$(sed -nE 's/.*has only ([0-9]+) pieces.*/\1/p' log)" --quiet
same all.spm same.spm

# A sample comes from the whole text and depends on the seed.
for seed in 1 2; do
  nmt vocab -i train.src -i train.tgt -o $seed.spm --type bpe --size 40 --sample-bytes 5000 --seed $seed 2>$seed.err
done
grep -q "40 pieces from a sample of 1000 lines" 1.err || fail "no message about a sample: $(<1.err)"
! cmp -s 1.spm 2.spm || fail "the seed makes no difference"

# A very long line is split, not dropped.
tr '\n' ' ' <train.src >line.src
nmt vocab -i line.src -o line.spm --type char --size 23 2>line.err
grep -q "warning: 1 line longer than 4192 bytes split into parts" line.err || fail "no message about the long line: $(<line.err)"
grep -q " pieces from 1 line, " line.err || fail "wrong count: $(<line.err)"

# Any changed byte is detected.
{ head -c 2000 bpe.spm && printf '\xFF' && tail -c +2002 bpe.spm; } >changed.spm
refuses 1 "changed.spm' is damaged or not a SentencePiece model" \
  nmt batch --source train.src --target train.tgt --vocab changed.spm -o x.nmtc
for cut in 300 100000; do
  head -c $cut bpe.spm >cut.spm
  refuses 1 "cut.spm' is damaged" nmt batch --source train.src --target train.tgt --vocab cut.spm -o x.nmtc
done

refuses 1 "missing" nmt vocab -i missing -o x.spm
refuses 1 "directory" nmt vocab -i . -o x.spm
printf '   \n\t\n' >blank
for type in unigram bpe char word; do refuses 1 "the input has no text" nmt vocab -i blank -o x.spm --type $type; done
refuses 2 "size 1 is too small: .* use 4 or more" nmt vocab -i train.src -o x.spm --size 1
refuses 1 "no text|empty" nmt vocab -i /dev/null -o x.spm
head -c 100 train.src.gz >cut.gz
refuses 1 "truncated" nmt vocab -i cut.gz -o x.spm --size 40
refuses 2 "size" nmt vocab -i train.src -o x.spm --size 0
refuses 2 "type.*unigram" nmt vocab -i train.src -o x.spm --type syllable
refuses 2 "coverage" nmt vocab -i train.src -o x.spm --coverage 2
refuses 2 "did you mean 'size'|did you mean '--size'" nmt vocab -i train.src -o x.spm --sise 40
refuses 1 "--size" nmt vocab -i train.src -o x.spm --size 5
[[ ! -e x.spm ]] || fail "a refused command left a file"
