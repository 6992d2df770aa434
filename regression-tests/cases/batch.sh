#!/usr/bin/env bash
# Packed corpora: the same file from every kind of input, counts of dropped pairs by reason, and invalid files.
. "$(dirname "$0")/../lib.sh"
make_text
make_vocabulary

pack() { # OPTION...
  overriding nmt batch --vocab words.spm --source train.src --target train.tgt -o again.nmtc --quiet "$@"
}

# Plain, compressed and tab-separated text, and any number of threads, give the same bytes.
pack -o train.nmtc
gzip -k train.src && xz -k train.tgt && zstd -qk train.src
pack --source train.src.gz --target train.tgt.xz && same train.nmtc again.nmtc
pack --source train.src.zst --target - <train.tgt && same train.nmtc again.nmtc
pack --threads 1 && same train.nmtc again.nmtc
paste train.src train.tgt | nmt batch --vocab words.spm --tsv - -o again.nmtc --quiet && same train.nmtc again.nmtc

# The report: on stdout when a file is shown, on stderr when text is packed.
nmt batch train.nmtc >report
nmt batch --vocab words.spm --source train.src --target train.tgt -o train.nmtc >out 2>report.packing
[[ ! -s out ]] || fail "packing wrote to stdout"
tail -n "$(wc -l <report)" report.packing | diff report - || fail "the two reports differ"
grep -q "^train.nmtc: 500 pairs of 500, checksum [0-9a-f]\{16\}$" report || fail "no counts: $(<report)"
grep -q "^dropped: none$" report || fail "something was dropped: $(<report)"
equal "$(grep '^source: ' report | cut -d ' ' -f 2)" "$(wc -w <train.src)" "source tokens"
equal "$(nmt batch train.nmtc --batch-tokens 300 | awk '$1 == 300 { print $1 }')" 300 "the budget asked for"

# Dropped pairs, by reason.
{ cat train.src && echo && head -n 1 train.src && head -n 1 train.src && head -n 7 train.src | xargs; } >noisy.src
{ cat train.tgt && for file in train.tgt train.src train.tgt train.tgt; do head -n 1 $file; done; } >noisy.tgt
noisy() { pack --source noisy.src --target noisy.tgt "$@" && nmt batch again.nmtc | sed -n 2p; }
equal "$(noisy)" "dropped: 1 with an empty side, 1 with two identical sides"
equal "$(noisy --no-drop-identical)" "dropped: 1 with an empty side"
equal "$(noisy --drop-duplicates)" \
  "dropped: 1 with an empty side, 1 with two identical sides, 1 that occurs earlier"
equal "$(noisy --max-length 20)" \
  "dropped: 1 with an empty side, 1 longer than 20 tokens, 1 with two identical sides"
equal "$(noisy --max-ratio 3)" \
  "dropped: 1 with an empty side, 1 with sides of a ratio above 3, 1 with two identical sides"

# Filters of text, their table, and examples of what they drop.
dropped() { awk -v filter="$1" '$1 == filter { print $(NF - 2) }'; } # FILTER <report
{ printf 'the 7 dogs\tder 8 hund\nthe dog runs 1,000\tthe dog rennt 1.000\nThe weather was cold and wet\tThe weather was cold and wet.\n'
  printf 'the dog 7.\tder hund 7.\nThe DOG: 8\tDer Hund: 8\n'; } >planted.tsv
cat <(paste train.src train.tgt) planted.tsv >filtered.tsv
filters=(--languages "en,de" --max-copied 0.6 --match-numbers --drop-near-duplicates --max-character-ratio 4)
nmt batch --tsv filtered.tsv --vocab words.spm "${filters[@]}" --no-drop-identical --min-language 0 --min-script 0.5 \
  -o filtered.nmtc --quiet
nmt batch filtered.nmtc >report
equal "$(dropped match-numbers <report)" 1 "other numbers"
equal "$(dropped max-copied <report)" 2 "copied"
equal "$(dropped drop-near-duplicates <report)" "$(sed -n 's/^dropped: .* \([0-9]*\) that resembles\? .*/\1/p' report)" "the sentence and the table"
grep -q "^min-script  *en,de: 0.5  *0 " report || fail "no setting: $(<report)"
nmt batch --tsv filtered.tsv --vocab words.spm "${filters[@]}" --threads 2 --dry-run --examples 2 --quiet >report
grep -q "^min-language  *en,de: 0.1  *[1-9]" report || fail "no text in another language: $(<report)"
equal "$(grep -A 3 '^match-numbers$' report | tr '\n' '|')" "match-numbers|line 501: 2|  the 7 dogs|  der 8 hund|"
equal "$(grep -c '^line ' report)" "$(awk '$NF == "%" { n = $(NF - 2); sum += n > 2 ? 2 : n } END { print sum }' report)" "examples"
nmt batch --tsv filtered.tsv --vocab words.spm --min-length 3 --dry-run --quiet >report
holds "$(dropped min-length <report) > 0"
refuses 2 "min-length 9 is above --max-length 5" pack --min-length 9 --max-length 5 -o x.nmtc
printf 'the \033[2J dog\tthe \033[2J dog\n' >controls.tsv
nmt batch --tsv controls.tsv --vocab words.spm --drop-identical --dry-run --examples 1 --quiet >report
equal "$(grep -cF '  the \x1b[2J dog' report)" 2 "control characters"
refuses 2 "examples needs a run that only counts; give --dry-run" pack --examples 2 -o x.nmtc
refuses 2 "min-script needs the languages of the text; give --languages" pack --min-script 0.5 -o x.nmtc
refuses 2 "languages: expected languages that nmt can identify, such as en,de .*, got 'en,xx'$" pack --languages en,xx -o x.nmtc
refuses 2 "languages has no effect, as --min-language is 0" pack --languages en,de --min-language 0 -o x.nmtc
# Raw text is filtered as it is read.
overriding nmt train "${small[@]}" --tsv planted.tsv --vocab words.spm --match-numbers --steps 2 -o filtered --quiet 2>log
grep -q "1 with other numbers" log || fail "not filtered: $(<log)"
refuses 2 "has match_numbers true, not false" nmt train -o filtered --no-match-numbers --steps 3
nmt batch --target train.tgt --vocab words.spm --min-letters 0.5 -o filtered.nmtc --quiet
refuses 2 "max-copied needs text" nmt batch --target train.tgt --vocab words.spm --max-copied 0.5 -o x.nmtc

# Only packed corpora are replaced.
echo text >other.nmtc
refuses 1 "'other.nmtc' is not a packed corpus; name another file, or replace it by .*overwrite" pack -o other.nmtc
equal "$(<other.nmtc)" text
pack -o other.nmtc --overwrite && same train.nmtc other.nmtc

# A tag adds one token, a single piece, to each source.
nmt vocab -i train.src -i train.tgt -o tags.spm --type word --size 57 --user-symbols '<BT>' --quiet
tokens() { # OPTION...
  pack --vocab tags.spm "$@" && nmt batch again.nmtc | sed -n 's/^source: \([0-9]*\) tokens.* \([0-9]*\) unknown.*/\1 \2/p'
}
equal "$(tokens --source-tag '<BT>')" "$(tokens | awk '{ print $1 + 500, $2 }')" "source tokens with a tag"
refuses 2 "'<X>' is not a piece of the source vocabulary; nmt vocab --user-symbols" pack --source-tag '<X>' -o x.nmtc
refuses 2 "is shown" nmt batch train.nmtc --source-tag '<BT>'

# Bad input.
refuses 1 "500 lines.* 499|499 lines.* 500" pack --source <(head -n 499 train.src) -o x.nmtc
refuses 1 "line 1: 1 column; a line must have the source and the target, separated by tabs" nmt batch --tsv train.src --vocab words.spm -o x.nmtc
refuses 1 "missing" pack --source missing -o x.nmtc
refuses 1 "missing" pack --vocab missing -o x.nmtc
refuses 1 "train\.src. is text, not a vocabulary; make one from it: nmt vocab" pack --vocab train.src -o x.nmtc
refuses 1 "no pairs remain to be packed" pack --source /dev/null --target /dev/null -o x.nmtc
head -c 200 train.src.zst >cut.zst
refuses 1 "cut.zst' is truncated" pack --source cut.zst -o x.nmtc
refuses 1 "folder/x.nmtc" pack -o folder/x.nmtc
refuses 1 "No space left" pack -o /dev/full
refuses 2 "text is needed" nmt batch --vocab words.spm -o x.nmtc
refuses 2 "output 'x.npz': the output is a packed corpus; choose a name that ends in .nmtc" pack -o x.npz
refuses 2 "max-ratio: expected a ratio of at least 1, or 0 for any, got 0.5" pack --max-ratio 0.5 -o x.nmtc
refuses 2 "leave out --source and --target, or --tsv" pack --tsv train.src -o x.nmtc
refuses 2 "a vocabulary is needed" nmt batch --source train.src --target train.tgt -o x.nmtc
refuses 2 "source-vocab" pack --source-vocab words.spm -o x.nmtc
refuses 2 "output is required.*or --dry-run" nmt batch --vocab words.spm --source train.src --target train.tgt
refuses 2 "is shown" nmt batch train.nmtc --source train.src
refuses 2 "nothing is packed; leave out --source-tag and --max-length" nmt batch train.nmtc --source-tag x --max-length 9
refuses 2 "nothing is packed; leave out --drop-duplicates" nmt batch train.nmtc --drop-duplicates
[[ ! -e x.nmtc ]] || fail "a refused command left a file"

refuses 1 "missing.nmtc" nmt batch missing.nmtc
refuses 1 "words.spm' is not a packed corpus" nmt batch words.spm
head -c 5000 train.nmtc >cut.nmtc
refuses 1 "cut.nmtc' is damaged" nmt batch cut.nmtc
{ head -c 1000 train.nmtc && printf x && tail -c +1002 train.nmtc; } >changed.nmtc
refuses 1 "changed.nmtc' is damaged" nmt batch changed.nmtc

# An id that was changed into another valid one is detected by whoever reads its pair, on any thread.
id=$(od -An -tu1 -j 1000 -N 1 train.nmtc)
{ head -c 1000 train.nmtc && printf "\\x$(printf %02x $((id == 5 ? 6 : 5)))" && tail -c +1002 train.nmtc; } >other.nmtc
refuses 1 "other.nmtc' is damaged: the checksum of a pair is wrong" nmt batch other.nmtc
refuses 1 "other.nmtc' is damaged: the checksum of a pair is wrong" \
  nmt train "${small[@]}" --train other.nmtc -o run --steps 5 --quiet
refuses 1 "nowhere.spm" nmt train "${small[@]}" --train other.nmtc --vocab nowhere.spm -o new --steps 5 --quiet
{ head -c 8 train.nmtc && printf '\x01' && tail -c +10 train.nmtc; } >old.nmtc
refuses 1 "old.nmtc' is a packed corpus of version 1, .*pack it again" nmt batch old.nmtc
exits 1 nmt batch train.nmtc >/dev/full 2>full.err
grep -q "No space left" full.err || fail "no message about a full disk: $(<full.err)"
