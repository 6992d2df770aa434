#!/usr/bin/env bash
# Packages of OPUS-MT with BPE read and write raw text; packages that nmt would process differently are rejected.
. "$(dirname "$0")/../lib.sh"
model=${NMT_REFERENCE_DATA:-}/foreign/marian/opus-like
[[ -d $model ]] || skip "NMT_REFERENCE_DATA names no folder with foreign/marian"

# A model with the same weights and a list of words and subwords with continuation marks ("a@@").
mkdir list
cp "$model/opus.npz" "$model/decoder.yml" list
sed -E '3,$s/^"(.*)": /"\1@@": /; s/^"▁(.+)@@": /"\1": /' "$model/opus.vocab.yml" >list/opus.vocab.yml

# Without merges, words are split into characters.
cp -r list package
printf '#version: 0.2\nq q\n' | tee package/source.bpe >package/target.bpe
printf 'a (5/5)\nman (3/3)\n' >package/source.tcmodel
printf '* source language(s): en\n* target language(s): de\n' >package/README.md
cat >package/preprocess.sh <<'END'
${TOKENIZER}/replace-unicode-punctuation.perl |
${TOKENIZER}/remove-non-printing-char.perl |
${TOKENIZER}/normalize-punctuation.perl -l $1 |
${TOKENIZER}/tokenizer.perl -a -l $1 |
${RECASER}/truecase.perl -model source.tcmodel |
python3 ${SNMTPATH}/apply_bpe.py -c $2
END
printf 'sed "s/@@ //g" | ${TOKENIZER}/detokenizer.perl -l $1\n' >package/postprocess.sh

printf '%s\n' 'A man is on the street' 'Two dogs run' 'the woman  and a Man' '' >raw
printf '%s\n' 'a man is on the street' 'Two dogs run' 'the woman and a Man' '' |
  sed -E 's/([^ ])/\1@@ /g; s/@@ ( |$)/\1/g' >segmented
sed -i 's/M@@ a@@ n$/m@@ a@@ n/' segmented # a truecaser knows the word, but not this case of it
nmt translate -m list -i segmented --quiet | sed 's/@@ //g; s/@@$//' >expected
nmt translate -m package -i raw --quiet >translated
same translated expected
[[ $(grep -c . translated) == 3 ]] || fail "nothing was translated: $(<translated)"

# The model file, and a zip archive, contain everything.
nmt convert package -o package.safetensors --quiet
nmt translate -m package.safetensors -i raw --quiet >again
same again expected
nmt score -m list --source segmented --target segmented --quiet >scores
nmt score -m package.safetensors --source raw --target <(sed 's/^A /a /; s/Man/man/' raw) --quiet >again
same again scores

# Unsupported steps are named.
printf '${TOKENIZER}/lowercase.perl | ${TOKENIZER}/tokenizer.perl | apply_bpe.py\n' >package/preprocess.sh
refuses 1 "package/preprocess.sh' cannot be opened: text goes through 'lowercase.perl'" nmt translate -m package -i raw
rm package/preprocess.sh package/README.md
refuses 1 "'package' does not say what its source language is" nmt translate -m package -i raw

# Files that Git LFS has not downloaded, and vocabularies of unsupported forms, are named as well.
pointer='version https://git-lfs.github.com/spec/v1\noid sha256:4d7a214614ab2935c943f9e0ff69d22eadbb8f32b1258daaa5e2ca24d17e2393\nsize 12345\n'
for file in opus.npz decoder.yml opus.vocab.yml; do
  rm -rf pointers
  cp -r list pointers
  # shellcheck disable=SC2059 # it is a format
  printf "$pointer" >pointers/$file
  refuses 1 "pointers/$file' is only a pointer of Git LFS.*git lfs pull" nmt translate -m pointers -i raw
done
# shellcheck disable=SC2059
printf "$pointer" >model.safetensors
refuses 1 "'model.safetensors' is only a pointer of Git LFS" nmt info model.safetensors
refuses 1 "'model.safetensors' is only a pointer of Git LFS" nmt translate -m package.safetensors -i model.safetensors
for option in config marian-config; do
  refuses 1 "'model.safetensors' is only a pointer of Git LFS" nmt train --$option model.safetensors --dry-run
done
for option in vocab shortlist; do
  refuses 1 "'model.safetensors' is only a pointer of Git LFS" nmt translate -m list --$option model.safetensors -i raw
done

# One warning each reports text that does not suit the model and a vocabulary that is too short.
printf 'xyzzy plugh a man\n%.0s' {1..20} >plain
nmt translate -m list -i plain 2>warnings >translated
grep -q "40 of 80 source tokens are unknown to the model; it takes text that is divided into parts such as '.*@@'" \
  warnings || fail "unknown tokens: $(<warnings)"
equal "$(grep -c "tokens are unknown" warnings)" 1 "warnings"
printf 'a man\n%.0s' {1..20} >known
nmt score -m list --source plain --target known 2>warnings >scores
equal "$(grep -c "tokens are unknown" warnings)" 1 "warnings of scoring"
nmt translate -m list -i segmented 2>warnings >translated
! grep -q "are unknown" warnings || fail "warned of text that is right: $(<warnings)"
sed '1s/^/>>xx<< /' known | nmt translate -m list 2>warnings >translated
grep -q "a text begins with >>xx<<, but the model has no language tokens" warnings || fail "language: $(<warnings)"
cp -r list short
sed -i '$d' short/opus.vocab.yml
nmt translate -m short <known 2>warnings >translated
grep -Eq "'short': its shared vocabulary has [0-9]+ pieces, but its table has [0-9]+ rows" warnings ||
  fail "short vocabulary: $(<warnings)"

# A server warns once per model.
start_server "$NMT" serve -m en-de=short
for _ in 1 2 3; do
  curl --silent --show-error --fail-with-body "$url/translate" -d q='xyzzy plugh' -d source=en -d target=de >answer
done
equal "$(grep -c "tokens are unknown" log)" 1 "warnings of a server: $(<log)"
equal "$(grep -c "its shared vocabulary has" log)" 1 "warnings of a server's model: $(<log)"
