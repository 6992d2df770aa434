#!/usr/bin/env bash
# The lines of doc/model-file.md that open a model in PyTorch work.
. "$(dirname "$0")/../lib.sh"
python=
for candidate in ${NMT_PYTHON:-python3 /usr/bin/python3}; do
  if "$candidate" -c 'import torch' 2>/dev/null; then python=$candidate && break; fi
done
[[ -n $python ]] || skip "no Python here has PyTorch (NMT_PYTHON names another one)"
make_text
make_vocabulary
nmt train --preset transformer-small --vocab words.spm --source train.src --target train.tgt --steps 2 -o run --quiet

# Extracts the Python block about PyTorch.
awk '/^```python$/ { inside = 1; text = ""; next } /^```$/ { if (inside && text ~ /load_state_dict/) printf "%s", text; inside = 0 }
  inside { text = text $0 "\n" }' "$(dirname "$0")/../../doc/model-file.md" >snippet.py
grep -q load_state_dict snippet.py || fail "doc/model-file.md has no lines for PyTorch"
if ! "$python" -c 'import safetensors' 2>/dev/null; then # what it would do, in a few lines
  mkdir safetensors
  touch safetensors/__init__.py
  cat >safetensors/torch.py <<'PYTHON'
import json

import torch


def load_file(path):
    data = open(path, "rb").read()
    start = 8 + int.from_bytes(data[:8], "little")
    header = json.loads(data[8:start])
    types = {"F32": torch.float32, "U8": torch.uint8}
    tensors = {}
    for name, entry in header.items():
        if name != "__metadata__":
            begin, end = entry["data_offsets"]
            flat = torch.frombuffer(bytearray(data[start + begin : start + end]), dtype=types[entry["dtype"]])
            tensors[name] = flat.reshape(entry["shape"])
    return tensors
PYTHON
fi
cat >>snippet.py <<'PYTHON'
found, expected = layer.linear1.weight, weights["encoder.layers.0.linear1.weight"]
assert torch.equal(found, expected) and found.abs().sum() > 0
assert torch.isfinite(layer.eval()(torch.randn(2, 5, 256))).all()
PYTHON
"$python" snippet.py
