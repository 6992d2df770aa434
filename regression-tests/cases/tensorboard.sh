#!/usr/bin/env bash
# TensorBoard's own reader finds what nmt train writes, even after a run was killed and continued.
. "$(dirname "$0")/../lib.sh"
python=
for candidate in ${NMT_PYTHON:-python3 /usr/bin/python3}; do
  if "$candidate" -c 'import tensorboard' 2>/dev/null; then python=$candidate && break; fi
done
[[ -n $python ]] || skip "no Python here has the package tensorboard (NMT_PYTHON names another one)"
make_text
make_vocabulary
valid=(--valid-source test.src --valid-target test.tgt --valid-every 20)

# The reader finds each figure of metrics.jsonl once, in order, to the precision of a float.
expect_figures() { # RUN LOGS
  "$python" - "$@" <<'PYTHON'
import json
import logging
import struct
import sys

from tensorboard.backend.event_processing import event_accumulator, plugin_event_accumulator
from tensorboard.util import tensor_util

logging.disable()  # the word of what is purged
expected = {"train": {}, "valid": {}}
for line in open(sys.argv[1] + "/metrics.jsonl"):
    line = json.loads(line)
    for name, value in line.items():
        if name not in ("event", "step", "epoch", "source_tokens", "target_tokens", "seconds"):
            single = struct.unpack("f", struct.pack("f", value))[0]
            expected[line["event"]].setdefault(name, []).append((line["step"], single))
assert {"loss", "learning_rate"} <= set(expected["train"]), expected["train"].keys()
assert {"loss", "perplexity", "bleu"} <= set(expected["valid"]), expected["valid"].keys()

for event in "train", "valid":
    folder = sys.argv[2] + "/" + event
    old = event_accumulator.EventAccumulator(folder, size_guidance={"scalars": 0})
    old.Reload()
    found = {tag: [(e.step, e.value) for e in old.Scalars(tag)] for tag in old.Tags()["scalars"]}
    new = plugin_event_accumulator.EventAccumulator(folder, tensor_size_guidance={"scalars": 0})
    new.Reload()
    also = {tag: [(e.step, float(tensor_util.make_ndarray(e.tensor_proto))) for e in new.Tensors(tag)]
            for tag in new.Tags()["tensors"] if tag != "translations"}
    assert found == also, (found, also)
    # A validation that a continued run repeats occurs twice, with the same values.
    found = {tag: list(dict.fromkeys(scalars)) for tag, scalars in found.items()}
    assert found == expected[event], (found, expected[event])
PYTHON
}

# The plugins show settings with the resulting figures, and translations as text.
expect_plugins() { # RUN
  "$python" - "$1" <<'PYTHON'
import sys

from tensorboard.backend.event_processing import data_provider, plugin_event_multiplexer
from tensorboard.context import RequestContext
from tensorboard.plugins import base_plugin
from tensorboard.plugins.hparams import api_pb2, backend_context, list_session_groups
from tensorboard.plugins.text import text_plugin

multiplexer = plugin_event_multiplexer.EventMultiplexer()
multiplexer.AddRunsFromDirectory("logs")
multiplexer.Reload()
context = base_plugin.TBContext(logdir="logs", multiplexer=multiplexer,
                                data_provider=data_provider.MultiplexerDataProvider(multiplexer, "logs"))
shown = backend_context.Context(context)
request = api_pb2.ListSessionGroupsRequest(slice_size=9, allowed_statuses=[1])  # those that succeeded
groups = list_session_groups.Handler(RequestContext(), shown, "", request).run().session_groups
group = next(group for group in groups if group.name == sys.argv[1])
settings = dict(group.hparams)
assert settings["d_model"].number_value == 64 and settings["schedule"].string_value == "noam", settings
assert settings["drop_identical"].bool_value, settings
figures = {(value.name.group, value.name.tag) for value in group.metric_values}
assert {("train", "loss"), ("valid", "loss"), ("valid", "bleu")} <= figures, figures

[first, *_] = text_plugin.TextPlugin(context).text_impl(RequestContext(), sys.argv[1] + "/valid", "translations", "", True)
line = open("test.src").readlines()[5].strip()
assert "<td><p>6: " + line + "</p></td>" in first["text"] and first["text"].count("<tr>") == 6, first
PYTHON
}

sed -i '6s/.*/& *not* <b>_bold_/' test.src
train "${valid[@]}" --steps 40 --log-every 5 --tensorboard logs/first
expect_figures run logs/first
sed -i '6s/<b>/\&lt;b\&gt;/' test.src
expect_plugins first
equal "$(find logs/first -type f | wc -l)" 3 "files"
grep -q "^tensorboard: $PWD/logs/first$" run/config.yml || fail "a run that continues does not know where"

# After a kill in the middle of an event, the updates since the last saved state are repeated.
"$NMT" train "${small[@]}" --vocab words.spm --source train.src --target train.tgt "${valid[@]}" --save-every 0 \
  --steps 100000 --log-every 1 -o killed --tensorboard logs/killed --quiet &
until (($(cat killed/metrics.jsonl 2>/dev/null | wc -l) > 23)); do
  kill -0 $! || fail "training ended"
  sleep 0.02
done
kill -KILL $!
exits 137 wait $!
expect_figures killed logs/killed
for file in logs/killed/{train,valid}/events.*; do truncate --size -7 "$file"; done
steps=$((10 + $(grep -c '"train"' killed/metrics.jsonl)))
nmt train -o killed --steps "$steps" --quiet
equal "$(find logs/killed -type f | wc -l)" 6 "files"
expect_figures killed logs/killed
# Continuing a finished run writes nothing; a new run replaces the old one.
nmt train -o killed --quiet
equal "$(find logs/killed -type f | wc -l)" 6 "files"
train "${valid[@]}" --steps 20 --log-every 5 --overwrite --tensorboard logs/first
expect_figures run logs/first

: >file
refuses 1 "cannot write events to 'file/logs': .*--tensorboard" train --overwrite --tensorboard file/logs
[[ -f run/step-00000020.safetensors ]] || fail "the old run is gone"
