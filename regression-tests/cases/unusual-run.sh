#!/usr/bin/env bash
# Settings of a run that are valid but hardly meant cause a warning.
. "$(dirname "$0")/../lib.sh"
make_text
make_vocabulary
text=(--vocab words.spm --source train.src --target train.tgt -o new --dry-run)

# Checks the warnings of a dry run: each pattern matches one, and there are no others.
warns() { # OPTION... -- PATTERN...
  local options=()
  while [[ $1 != -- ]]; do options+=("$1"); shift; done
  shift
  nmt train "${text[@]}" "${options[@]}" 2>&1 >plan | grep '^warning: ' >warnings || true
  equal "$(wc -l <warnings)" $# "warnings with ${options[*]}: $(<warnings)"
  local pattern
  for pattern; do grep -Eq -- "$pattern" warnings || fail "no '$pattern' in $(<warnings)"; done
}

# The learning rate: a factor for noam, whose highest rate is 3e-4 * 64^-0.5 * 100^-0.5 = 3.75e-6, and a rate for others.
warns "${small[@]}" --steps 200 --learning-rate 0.0003 -- \
  "^warning: --learning-rate 0.0003 is a factor of the schedule noam, so the learning rate rises only to 3\.[78]e-06; .*--schedule inverse-sqrt"
warns "${small[@]}" --steps 200 --learning-rate 0.01 --
warns "${small[@]}" --steps 200 --learning-rate 0 --
warns "${small[@]}" --steps 200 --learning-rate 0.0003 --schedule inverse-sqrt --
warns "${small[@]}" --steps 200 --learning-rate 1 --schedule inverse-sqrt -- "^warning: --learning-rate 1 is the highest rate .*--schedule noam"

# The warm-up.
warns "${small[@]}" --steps 200 --warmup 201 -- "^warning: --warmup: the learning rate rises for 201 updates, but the run ends after 200;"
warns "${small[@]}" --steps 200 --warmup 200 --
warns "${small[@]}" --epochs 1 --steps 0 --warmup 90 -- "--warmup: .* rises for 90 updates, but the run ends after [1-9][0-9]?;"
warns "${small[@]}" --steps 5 -- # a settings file may serve runs of any length
printf 'preset: transformer-tiny\nwarmup: 6\nsteps: 5\n' >short.yml
warns --config short.yml -- "short.yml:2: warmup: .* rises for 6 updates, but the run ends after 5"
warns --preset transformer-tiny --warmup 10000 -- "--warmup: .* rises for 10000 updates, but the run ends after 1060"
warns --preset transformer-tiny --steps 50 -- "--warmup: .* rises for 1000 updates, but the run ends after 50"
warns --preset transformer-tiny --

# The length: base and big have that of the paper, which little text does not need.
for preset in transformer-base student-tiny; do
  warns --preset $preset -- \
    "^warning: --preset $preset is for large corpora: its 100000 updates are about [0-9]{5,} passes over this text; use --preset transformer-small,"
done
warns --preset transformer-base --steps 100000 --
warns --preset transformer-base --epochs 10000 --
sed 's/^/-/' train.tgt >lm.tgt
nmt train --preset lm-base --vocab words.spm --target lm.tgt -o new --dry-run 2>&1 >plan | contains "use --preset lm-small" ||
  fail "no warning of the length of a language model"

# They are in the log of the run.
train --steps 5 --warmup 6 2>warnings
grep -q "rises for 6 updates" run/train.log || fail "not in the log: $(<run/train.log)"

# Minimum risk training of a new model, which improves only what has been trained.
warns "${small[@]}" --steps 200 --risk bleu -- "^warning: --risk improves a trained model, .*; give --from-weights$"

# Fine-tuning at the rates of a new model.
nmt train "${small[@]}" --vocab words.spm --source train.src --target train.tgt --steps 1 -o trained --quiet
text=(--from-weights trained --source train.src --target train.tgt -o new --dry-run)
warns --warmup 10 --steps 20 -- "^warning: --from-weights: the learning rate rises as for a new model, .*--schedule constant --learning-rate 1e-4$"
warns --warmup 10 --steps 20 --schedule constant --learning-rate 1e-4 --
warns --warmup 10 --steps 20 --learning-rate 0.02 --
