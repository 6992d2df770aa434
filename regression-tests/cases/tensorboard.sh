#!/usr/bin/env bash
# What nmt train writes for TensorBoard is what its own readers find, also after a run was killed and went on.
. "$(dirname "$0")/../lib.sh"
python=
for candidate in ${NMT_PYTHON:-python3 /usr/bin/python3}; do
  if "$candidate" -c 'import tensorboard' 2>/dev/null; then python=$candidate && break; fi
done
[[ -n $python ]] || skip "no Python here has the package tensorboard (NMT_PYTHON names another one)"
make_text
make_vocabulary
valid=(--valid-source test.src --valid-target test.tgt --valid-every 20)

# The readers find the figures of metrics.jsonl: each once, in order, to the digits of a float.
expect_figures() { # RUN LOGS
  "$python" - "$@" <<'PYTHON'
import json
import logging
import struct
import sys

from tensorboard.backend.event_processing import event_accumulator, plugin_event_accumulator
from tensorboard.util import tensor_util

logging.disable()  # the word of what is purged
expected = {}
for line in open(sys.argv[1] + "/metrics.jsonl"):
    line = json.loads(line)
    for name, value in line.items():
        if name not in ("event", "step", "epoch", "source_tokens", "target_tokens", "seconds"):
            single = struct.unpack("f", struct.pack("f", value))[0]
            expected.setdefault(f"{line['event']}/{name}", []).append((line["step"], single))
assert {"train/loss", "train/learning_rate", "valid/perplexity", "valid/bleu"} <= set(expected), expected.keys()

old = event_accumulator.EventAccumulator(sys.argv[2], size_guidance={"scalars": 0})
old.Reload()
found = {tag: [(e.step, e.value) for e in old.Scalars(tag)] for tag in old.Tags()["scalars"]}
new = plugin_event_accumulator.EventAccumulator(sys.argv[2], tensor_size_guidance={"scalars": 0})
new.Reload()
also = {tag: [(e.step, float(tensor_util.make_ndarray(e.tensor_proto))) for e in new.Tensors(tag)]
        for tag in new.Tags()["tensors"]}
assert found == also, (found, also)
# A validation that was made, and is made again by a run that goes on, is there twice and the same.
found = {tag: list(dict.fromkeys(scalars)) for tag, scalars in found.items()}
assert found == expected, (found, expected)
PYTHON
}

train "${valid[@]}" --steps 40 --log-every 5 --tensorboard logs/first
expect_figures run logs/first
equal "$(find logs/first | wc -l)" 2 "files and folders"
grep -q "^tensorboard: $PWD/logs/first$" run/config.yml || fail "a run that goes on does not know where"

# One that was killed, its file cut in the middle of an event; what it did after its last state is made again.
"$NMT" train "${small[@]}" --vocab words.spm --source train.src --target train.tgt "${valid[@]}" --save-every 15 \
  --steps 100000 --log-every 1 -o killed --tensorboard logs/killed --quiet &
until (($(cat killed/metrics.jsonl 2>/dev/null | wc -l) > 28)); do
  kill -0 $! || fail "training ended"
  sleep 0.05
done
kill -KILL $!
exits 137 wait $!
expect_figures killed logs/killed
truncate --size -7 logs/killed/events.*
steps=$((10 + $(grep -c '"train"' killed/metrics.jsonl)))
nmt train -o killed --steps "$steps" --quiet
equal "$(find logs/killed -type f | wc -l)" 2 "files"
expect_figures killed logs/killed
# A run that is finished writes nothing more; one that begins anew takes the place of the old one.
nmt train -o killed --quiet
equal "$(find logs/killed -type f | wc -l)" 2 "files"
train "${valid[@]}" --steps 20 --log-every 5 --overwrite --tensorboard logs/first
expect_figures run logs/first

: >file
refuses 1 "cannot write events to 'file/logs': .*--tensorboard" train --overwrite --tensorboard file/logs
[[ -f run/step-00000020.safetensors ]] || fail "the old run is gone"
