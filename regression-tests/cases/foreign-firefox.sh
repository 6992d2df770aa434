#!/usr/bin/env bash
# A student of Firefox translates like an independent engine, under all the names that its files are published under.
. "$(dirname "$0")/../lib.sh"
real=${NMT_REFERENCE_DATA:-}/real
[[ -d $real/firefox-en-pt ]] || skip "NMT_REFERENCE_DATA names no folder with real/firefox-en-pt"
skip_sanitized "1,000 lines take too long"
model=$real/firefox-en-pt
xz -dc "$real/flores-dev.en.xz" >dev.en
xz -dc "$model/flores-dev.answers.pt.xz" >answers
equal "$(wc -l <answers)" 997 "lines of answers"

# Greedy, with the lexical shortlist, as its configuration says.
nmt translate -m "$model" --precision f32 -i dev.en -q >translated
same translated answers

head -n 40 dev.en >few.en
head -n 40 answers >few
# The weights alone, the configuration, and the names of Mozilla's repository.
nmt translate -m "$model/model.enpt.intgemm.alphas.bin" --precision f32 -i few.en -q >alone
nmt info "$model" | contains "^precision *int8$" || fail "nmt info tells another precision than that of the file"
same alone few
nmt translate -m "$model/config.intgemm8bitalpha.yml" --precision f32 -i few.en -q >named
same named few
mkdir published
for file in model.enpt.intgemm.alphas.bin lex.50.50.enpt.s2t.bin vocab.enpt.spm; do
  gzip -c "$model/$file" >published/$file.gz
done
nmt translate -m published --precision f32 -i few.en -q >packed
same packed few
mv published/vocab.enpt.spm.gz published/srcvocab.enpt.spm.gz
cp published/srcvocab.enpt.spm.gz published/trgvocab.enpt.spm.gz
nmt translate -m published --precision f32 -i few.en -q >packed
same packed few
# What is no file under the name of one is reported as what it is, and never waited for.
for name in model.enpt.intgemm.alphas.bin lex.50.50.enpt.s2t.bin vocab.enpt.spm; do
  rm -rf odd
  mkdir odd
  cp -s "$model"/* odd
  rm odd/$name
  mkdir odd/$name
  refuses 1 "cannot read 'odd/$name': it is not a regular file" nmt translate -m odd
  rmdir odd/$name
  mkfifo odd/$name
  refuses 1 "cannot read 'odd/$name': it is not a regular file" nmt translate -m odd
  ln -sf $name odd/$name
  refuses 1 "cannot read 'odd/$name': Too many levels of symbolic links" nmt translate -m odd
done
# Pointers of Git LFS are reported, even next to other files. A shortlist that is not used may be one.
pointer=$'version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 1'
echo "$pointer" >published/lex.50.50.enpt.s2t.bin.gz
refuses 1 "lex.50.50.enpt.s2t.bin.gz' is only a pointer of Git LFS" nmt translate -m published
nmt translate -m published --precision f32 --no-shortlist -i few.en -q >no-list
mkdir pointers
echo "$pointer" >pointers/model.enpt.intgemm.alphas.bin
refuses 1 "model.enpt.intgemm.alphas.bin' is only a pointer of Git LFS" nmt translate -m pointers
refuses 1 "lex.50.50.enpt.s2t.bin' is not a model: it is a shortlist of Marian, which --shortlist takes" \
  nmt translate -m "$model/lex.50.50.enpt.s2t.bin"
head -c 1000000 published/model.enpt.intgemm.alphas.bin.gz >half && mv half published/model.enpt.intgemm.alphas.bin.gz
refuses 1 "model.enpt.intgemm.alphas.bin.gz' is truncated" nmt translate -m published

# Conversion keeps the shortlist, and --no-shortlist ignores it.
nmt convert "$model" -o student.safetensors --quiet
nmt translate -m student.safetensors --precision f32 -i few.en -q >converted
same converted few
nmt translate -m "$model" --precision f32 --no-shortlist -i few.en -q >all-pieces
! cmp -s all-pieces few || fail "--no-shortlist has no effect"
same no-list all-pieces
nmt translate -m "$model" --precision f32 --no-shortlist --replace-unknown -i few.en -q >nothing-unknown
same all-pieces nothing-unknown
nmt translate -m "$model" --precision f32 --shortlist "$model/lex.50.50.enpt.s2t.bin" -i few.en -q >given
same given few
refuses 2 "exclude each other" nmt translate -m "$model" --no-shortlist --shortlist "$model/lex.50.50.enpt.s2t.bin"
nmt convert "$model" --precision int8 -o small.safetensors --quiet
nmt translate -m small.safetensors -i few.en -q >small
holds "$(paste -d '\n' small few | awk 'NR % 2 { a = $0 } NR % 2 == 0 && a == $0 { ++same } END { print same + 0 }') >= 25"
