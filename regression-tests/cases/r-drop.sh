#!/usr/bin/env bash
# R-Drop and SimCut: the loss of two passes, a run that continues exactly, weights, required dropout, and two segmentations.
. "$(dirname "$0")/../lib.sh"
make_text
make_vocabulary
vocab=words.spm

run() { # DIRECTORY [OPTION...]
  overriding nmt train "${small[@]}" --vocab "$vocab" --source train.src --target train.tgt --valid-source test.src \
    --valid-target test.tgt --valid-beam 0 --valid-every 75 --save-every 75 --log-every 25 --quiet -o "$@"
}
figure() { tail -n 1 "$1/metrics.jsonl" | grep -o "\"$2\":[^,}]*" | cut -d : -f 2; } # DIRECTORY NAME
first_loss() { head -n 1 "$1/metrics.jsonl" | grep -o '"loss":[^,}]*' | cut -d : -f 2; } # DIRECTORY
run whole --steps 150 --dropout 0.3 --r-drop 5
holds "$(figure whole perplexity) < 5"

# The loss includes both passes and their divergence.
run plain --steps 25 --dropout 0.3
run twice --steps 25 --dropout 0.3 --r-drop 1e-6
one=$(first_loss plain) two=$(first_loss twice) apart=$(first_loss whole)
holds "(($two) / ($one) - 2) ^ 2 < 0.01"
holds "$apart > $two * 1.01"

# A run continues exactly.
run again --steps 75 --dropout 0.3 --r-drop 5
run again --steps 150 --dropout 0.3 --r-drop 5
same again/last.safetensors whole/last.safetensors
# The number of threads only changes rounding.
run threads --steps 5 --dropout 0.3 --r-drop 5 --threads 1
run threads-2 --steps 5 --dropout 0.3 --r-drop 5 --threads 2
first=$(grep -o '"loss":[^,]*' threads/metrics.jsonl | tail -n 1 | cut -d : -f 2)
second=$(grep -o '"loss":[^,]*' threads-2/metrics.jsonl | tail -n 1 | cut -d : -f 2)
holds "($first - $second) ^ 2 < (1e-4 * $first) ^ 2"
refuses 2 "r-drop needs dropout, without which both passes are equal; set .*dropout above 0" run x --steps 1 --r-drop 5
# The only layer of a side is never left out, and attention of a recurrent model has no dropout.
refuses 2 "r-drop needs dropout" run x --steps 1 --r-drop 5 --layer-drop 0.2 --encoder-layers 1 --decoder-layers 1
run dropped --steps 1 --r-drop 5 --layer-drop 0.2 --encoder-layers 2
refuses 2 "r-drop needs dropout" overriding nmt train --preset rnn-small --vocab "$vocab" --source train.src \
  --target train.tgt --dropout 0 --activation-dropout 0 --r-drop 5 --steps 1 -o x
[[ ! -e x ]] || fail "a refused command left something"

# SimCut needs no dropout. Without cuts, both passes are equal, and the loss is the usual one.
run cut --steps 150 --dropout 0 --simcut 3 --simcut-rate 0.1
holds "$(figure cut perplexity) < 5"
run none --steps 25 --dropout 0
run uncut --steps 25 --dropout 0 --simcut 3 --simcut-rate 1e-6 # no token is drawn
holds "(($(first_loss none)) / ($(first_loss uncut)) - 1) ^ 2 < 1e-8"
holds "$(first_loss cut) > $(first_loss uncut) * 1.001"
refuses 2 "--r-drop and --simcut exclude each other" run x --steps 1 --dropout 0.1 --r-drop 5 --simcut 3
refuses 2 "--simcut-rate: expected a number from 1e-06 to 1, got '0'" run x --steps 1 --simcut 3 --simcut-rate 0
refuses 2 "--simcut-rate needs SimCut; give --simcut" run x --steps 1 --simcut-rate 0.1
# Layer drop is for Transformers, and leaves the layer that guided alignment trains.
refuses 2 "--layer-drop needs a Transformer" overriding nmt train --preset rnn-small --vocab "$vocab" --source train.src \
  --target train.tgt --layer-drop 0.1 --steps 1 -o x
refuses 2 "--layer-drop leaves out layers" run x --steps 1 --layer-drop 0.1 --guided-alignment-weight 0.1
[[ ! -e x ]] || fail "a refused command left something"

# Two segmentations of each source can replace dropout.
nmt vocab -i train.src -i train.tgt -o pieces.spm --size 60 --quiet
vocab=pieces.spm
views() { run "$@" --dropout 0 --r-drop 5 --sampling-alpha 0.2 --sampling-consistency; } # DIRECTORY [OPTION...]
views both --steps 150
holds "$(figure both perplexity) < 3"
views on --steps 75
views on --steps 150
same on/last.safetensors both/last.safetensors
refuses 2 "--r-drop and --sampling-alpha" run x --steps 1 --r-drop 5 --dropout 0.1 --sampling-consistency
[[ ! -e x ]] || fail "a refused command left something"
