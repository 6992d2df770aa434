#!/usr/bin/env bash
# One model opens both as a folder of transformers (FSMT) and as a checkpoint of fairseq, and translates alike.
. "$(dirname "$0")/../lib.sh"
data=$(cd "$(dirname "$0")/../../tests/data" && pwd)
printf '%s\n' 'Lodika dubo!' '5 % doledu saluse; (lilo) sa.' "Lu's &bako-ka..." '' >in
nmt translate -m "$data/fsmt" -i in --beam 1 --quiet >fsmt.out
[[ $(grep -c . fsmt.out) == 3 ]] || fail "nothing was translated: $(<fsmt.out)"
nmt translate -m "$data/fairseq" -i in --beam 1 --quiet >fairseq.out
same fairseq.out fsmt.out

# The checkpoint itself, and files of nmt, translate raw text, too.
nmt translate -m "$data/fairseq/model.pt" -i in --quiet >checkpoint.out
for model in fsmt fairseq; do nmt convert "$data/$model" -o $model.safetensors --quiet; done
nmt translate -m fsmt.safetensors -i in --beam 1 --quiet >again.out
same again.out fsmt.out
nmt translate -m fairseq.safetensors -i in --quiet >again.out
same again.out checkpoint.out
nmt info "$data/fairseq" | contains "^toolkit *fairseq$" || fail "nmt info does not tell the toolkit"

# What is damaged or ambiguous is one clear line.
cp -r "$data/fairseq" several
cp several/model.pt several/checkpoint_last.pt
refuses 1 "'several' has 2 checkpoints, checkpoint_last.pt, model.pt; name the file of one" nmt translate -m several -i in
head -c 30000 "$data/fairseq/model.pt" >several/model.pt
refuses 1 "several/model.pt' is damaged" nmt translate -m several/model.pt -i in
mkdir alone
cp "$data/fairseq/model.pt" alone
refuses 1 "alone/dict.en.txt' is missing" nmt translate -m alone/model.pt -i in
cp -r "$data/fsmt" part
rm part/merges.txt
refuses 1 "fetch merges.txt" nmt translate -m part -i in
