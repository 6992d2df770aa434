#!/usr/bin/env bash
# The memory that training needs is predicted before its first update, within a tenth of the actual use, and runs that
# cannot fit are refused.
. "$(dirname "$0")/../lib.sh"
skip_sanitized "they take memory of their own"
make_text
make_vocabulary
pairs 4242 6000 >train.pairs
cut -f 1 train.pairs >train.src
cut -f 2 train.pairs >train.tgt
head -n 10 test.src >few.src # a model without training writes long lines
head -n 10 test.tgt >few.tgt
model=(--preset transformer-small --vocab words.spm --source train.src --target train.tgt -o run --overwrite
  --valid-source few.src --valid-target few.tgt --steps 2 --valid-every 2 --save-every 0)

within_a_tenth() { # OPTION...
  local used foreseen
  nmt train "${model[@]}" "$@" --verbose 2>log
  read -r used foreseen < <(sed -nE 's/^([0-9]+) MiB of memory were used at most, ([0-9]+) were foreseen.*/\1 \2/p' log)
  holds "$used < 1.1 * $foreseen && $foreseen < 1.1 * $used"
  last_used=$used
}
within_a_tenth --threads 1 --batch-tokens 3000
all_used=$last_used
mv run/metrics.jsonl kept.jsonl
within_a_tenth --threads 1 --batch-tokens 3000 --activation-checkpointing
holds "$last_used < 0.8 * $all_used"
losses() { sed -nE 's/.*"event":"valid".*("loss":[^,]*).*/\1/p' "$1"; }
[[ $(losses kept.jsonl) == *loss* ]] || fail "no validation"
equal "$(losses run/metrics.jsonl)" "$(losses kept.jsonl)" "loss with --activation-checkpointing"
within_a_tenth --threads 1 --batch-tokens 3000 --micro-batch-tokens 1000 --ema 0.9
within_a_tenth --threads 2 --batch-tokens 3000 --valid-beam 0
within_a_tenth --threads 1 --batch-tokens 1000 --d-model 512 --d-ff 2048 --max-length 50

# Weights are in memory once. The rest is the program and its search.
most() { # MODEL OPTION...
  nmt translate -m "$1" --threads 1 --batch-tokens "${tokens:-100}" --verbose "${@:2}" 2>&1 >/dev/null <few.src |
    sed -nE 's/^([0-9]+) MiB of memory were used at most$/\1/p'
}
weights=$(($(stat -c %s run/last.safetensors) >> 20))
holds "$weights > 60 && $(most run/last.safetensors) < $weights + 50"
# The size of a batch is no more than its text needs.
holds "$(tokens=1000000000 most run/last.safetensors) < $weights + 150"
nmt convert -m run/last.safetensors --precision int8 -o small.safetensors --quiet
holds "$(most small.safetensors) < $weights / 4 + 50"
holds "$(most run/last.safetensors --precision int8) < $weights / 2 + 50" # pages of the file come and go

# A large tied table is in memory once, too, although its rows are not a multiple of a packed panel. Its precision changes a few rows at a time.
seq -f "word%.0f" 39999 | paste -sd "         \n" >words.src
tac words.src >words.tgt
nmt vocab --type word -i words.src -o many.spm --size 40001 --quiet
nmt train --preset transformer-tiny --d-model 512 --encoder-layers 1 --decoder-layers 1 --vocab many.spm --source words.src \
  --target words.tgt -o wide --steps 1 --batch-tokens 200 --quiet
wide=$(($(stat -c %s wide/last.safetensors) >> 20))
holds "$wide > 80 && $(most wide/last.safetensors) < $wide + 60"
at_most() { # MIB COMMAND... ; fails if the command takes more memory
  python3 - "$@" <<'END'
import resource, subprocess, sys
subprocess.run(sys.argv[2:], check=True)
used = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss >> 10
sys.exit(f"{used} MiB" if used > int(sys.argv[1]) else 0)
END
}
# Converting takes memory for some rows, whatever the size of the model, besides the pages of a file that is copied.
at_most 120 "$NMT" convert -m wide/last.safetensors --precision int8 -o narrow.safetensors --quiet
at_most 120 "$NMT" convert -m wide/last.safetensors --to ctranslate2 -o other --quiet
at_most $((wide + 90)) "$NMT" convert -m other -o back.safetensors --quiet
at_most 250 "$NMT" convert -m narrow.safetensors --to ctranslate2 -o other-narrow --quiet
holds "$(most narrow.safetensors) < $wide / 4 + 60"

nmt train "${model[@]}" --dry-run 2>/dev/null | contains -E "^# memory: [0-9]+ MiB at the peak with [0-9]+ tokens at once; [0-9]+ MiB before training" ||
  fail "--dry-run does not show the memory"

# Lengths that do not occur in the text are not planned for.
planned() { nmt train "${model[@]}" --micro-batch-tokens 1000 "$@" --dry-run 2>/dev/null | sed -nE 's/^# memory: ([0-9]+) MiB.*/\1/p'; }
usual=$(planned --batch-tokens 3000)
holds "$(planned --batch-tokens 3000 --max-length 1000000) < 1.5 * $usual"
holds "$(planned --batch-tokens 1000000000) < 1.5 * $usual"

# A dry run does not allocate the memory that it reports, and a limit of address space counts as memory.
huge=(--d-model 16384 --d-ff 65536 --heads 16)
(ulimit -v 1000000 && exec "$NMT" train "${model[@]}" "${huge[@]}" --dry-run) >dry 2>log || fail "no rehearsal: $(<log)"
holds "$(sed -nE 's/^# memory: ([0-9]+) MiB at the peak.*/\1/p' dry) > 100000"
grep -Eq "^# this run will not start: it needs [0-9]+ MiB more than the machine has" dry || fail "no message about refusal"
refuses 1 "the weights and gradients of this model take [0-9]+ MiB of memory, but [0-9]+ are free; train a smaller model" \
  nmt train "${model[@]}" "${huge[@]}" --quiet
limited() (
  ulimit -v 1500000
  exec "$NMT" train "${model[@]}" --threads 1 "$@"
)
limited --batch-tokens 100000 --valid-beam 0 --quiet # in parts that fit
refuses 1 "training needs [0-9]+ MiB of memory besides the weights, but only [0-9]+ are free: .* lower --micro-batch-tokens" \
  limited --batch-tokens 100000 --micro-batch-tokens 100000 --quiet
