#!/usr/bin/env bash
# Models can be written for Hugging Face transformers and read again, and translate there as they do here.
. "$(dirname "$0")/../lib.sh"
make_text
make_vocabulary
train --norm post --steps 150
cp run/last.safetensors model.safetensors
search=(--beam-rules huggingface --length-normalization power --length-penalty 1 --beam 4 --max-length-factor 0)
translated() { nmt translate -m "$1" --quiet "${@:2}" <test.src; }

nmt convert -m model.safetensors --to huggingface -o there 2>log
grep -q "wrote 'there' for huggingface (from the model 'model.safetensors')" log || fail "says nothing useful: $(<log)"
nmt info there | contains "^toolkit *Hugging Face$" || fail "nmt info does not tell the toolkit"
translated there >there.out # as generation_config.json says
translated model.safetensors "${search[@]}" --max-length-extra 510 >here.out
lines=$(paste -d '|' there.out here.out | awk -F '|' '$1 == $2' | wc -l)
holds "$lines >= 48" || fail "only $lines lines are the same" # transformers adds 1e-5 to variances, nmt 1e-6

# Opening a model needs no room in the temporary directory.
nmt convert -m model.safetensors --to ctranslate2 -o other --quiet
for folder in there other; do
  translated $folder >before.out
  TMPDIR=/missing translated $folder >after.out
  same after.out before.out
done

# Reading, writing and reading again gives the same bytes.
nmt convert there -o once.safetensors --quiet
nmt convert once.safetensors --to huggingface -o again --quiet
nmt convert again -o twice.safetensors --quiet
same once.safetensors twice.safetensors
nmt convert once.safetensors --precision f16 --to huggingface -o half --quiet
grep -q '"torch_dtype": "float16"' half/config.json || fail "the type is not told"

# A file of the folder stands for the folder.
for part in model.safetensors config.json; do
  nmt translate -m there/$part --quiet <test.src >part.out
  same part.out there.out
done

# Folders are complete, and replaced only on request.
refuses 1 "'there' has files.*--overwrite" nmt convert once.safetensors --to huggingface -o there
nmt convert once.safetensors --to huggingface -o there --overwrite --quiet
echo mine >there/notes
refuses 1 "has 'notes'" nmt convert once.safetensors --to huggingface -o there --overwrite
rm there/notes
refuses 1 "int8, which transformers does not support" nmt convert once.safetensors --precision int8 --to huggingface -o no
refuses 2 "--to writes a folder" nmt convert once.safetensors --to huggingface -o -
nmt convert once.safetensors -o twice --overwrite # as all model files
same once.safetensors twice
nmt train --preset transformer-tiny --norm pre --vocab words.spm --source train.src --target train.tgt --steps 1 \
  -o pre --quiet
refuses 1 "norm pre, final_norm true where model_type is marian, but for ctranslate2" nmt convert pre/last.safetensors --to huggingface -o no
[[ ! -e no ]] || fail "a model was written"
compgen -G '*.tmp' && fail "something temporary is left"

python=
for candidate in ${NMT_PYTHON:-python3 /usr/bin/python3}; do
  if "$candidate" -c 'import sentencepiece, torch, transformers' 2>/dev/null; then python=$candidate && break; fi
done
[[ -n $python ]] || exit 0 # NMT_PYTHON names one that has it; what is above needs none
cat >translate.py <<'PYTHON'
import sys

import torch
from transformers import AutoModelForSeq2SeqLM, AutoTokenizer

model = AutoModelForSeq2SeqLM.from_pretrained("./there", local_files_only=True).eval()
tokenizer = AutoTokenizer.from_pretrained("./there", use_fast=False, local_files_only=True)
for line in sys.stdin:
    ids = torch.tensor([tokenizer(line.rstrip("\n"))["input_ids"]])
    print(tokenizer.decode(model.generate(ids)[0], skip_special_tokens=True))
PYTHON
HF_HUB_OFFLINE=1 "$python" translate.py <test.src >theirs.out 2>log || fail "transformers fails: $(tail -n 3 log)"
same theirs.out there.out
