#!/usr/bin/env bash
# Vocabularies of every type, from plain and packed text; the same input gives the same bytes.
. "$(dirname "$0")/../lib.sh"
make_text

for type in unigram bpe char; do
  nmt vocab -i train.src -i train.tgt -o $type.spm --type $type --size 40 --quiet
  nmt vocab -i train.src -i train.tgt -o again.spm --type $type --size 40 --quiet
  same $type.spm again.spm
done
make_vocabulary
[[ $(sha256sum ./*.spm | cut -d ' ' -f 1 | sort -u | wc -l) == 4 ]] || fail "two types gave the same vocabulary"

# Packing does not matter.
gzip -k train.src && xz -k train.tgt
nmt vocab -i train.src.gz -i train.tgt.xz -o packed.spm --type bpe --size 40 --quiet
same bpe.spm packed.spm

# Pieces for symbols and bytes are in the file as asked.
nmt vocab -i train.src -o symbols.spm --size 40 --user-symbols '<2de>,<2fr>' --quiet
for symbol in '<2de>' '<2fr>'; do grep -aqF "$symbol" symbols.spm || fail "no piece $symbol"; done
nmt vocab -i train.src -o bytes.spm --size 290 --byte-fallback --quiet
grep -aqF '<0xFF>' bytes.spm || fail "no pieces for bytes"
nmt vocab -i train.src -o plain.spm --size 40 --normalization identity --coverage 1 --quiet

# A changed byte is found, whatever it would do.
{ head -c 2000 bpe.spm && printf '\xFF' && tail -c +2002 bpe.spm; } >changed.spm
refuses 1 "changed.spm' is damaged or no SentencePiece model" \
  nmt batch --source train.src --target train.tgt --vocab changed.spm -o x.nmtc
for cut in 300 100000; do
  head -c $cut bpe.spm >cut.spm
  refuses 1 "cut.spm' is damaged" nmt batch --source train.src --target train.tgt --vocab cut.spm -o x.nmtc
done

refuses 1 "missing" nmt vocab -i missing -o x.spm
refuses 1 "directory" nmt vocab -i . -o x.spm
refuses 1 "no text|empty" nmt vocab -i /dev/null -o x.spm
head -c 100 train.src.gz >cut.gz
refuses 1 "truncated" nmt vocab -i cut.gz -o x.spm --size 40
refuses 2 "size" nmt vocab -i train.src -o x.spm --size 0
refuses 2 "type.*unigram" nmt vocab -i train.src -o x.spm --type syllable
refuses 2 "coverage" nmt vocab -i train.src -o x.spm --coverage 2
refuses 2 "did you mean 'size'|did you mean '--size'" nmt vocab -i train.src -o x.spm --sise 40
refuses 1 "40000|--size" nmt vocab -i train.src -o x.spm --size 40000
refuses 1 "--size" nmt vocab -i train.src -o x.spm --size 5
[[ ! -e x.spm ]] || fail "a refused command left a file"
