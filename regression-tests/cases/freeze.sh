#!/usr/bin/env bash
# Frozen parts of a model keep their bits: in one process and in several, with an average of weights, and when a run
# continues with other parts.
. "$(dirname "$0")/../lib.sh"
command -v python3 >/dev/null || skip "no python3"
make_text
make_vocabulary
train --steps 20

# Prints the tensors that differ between two models, one per line.
changed() { # MODEL MODEL
  python3 - "$1" "$2" <<'END'
import json, sys

def tensors(path):
    with open(path, "rb") as file:
        header = json.loads(file.read(int.from_bytes(file.read(8), "little")))
        data = file.read()
    header.pop("__metadata__", None)
    return {name: data[slice(*facts["data_offsets"])] for name, facts in header.items()}

first, second = (tensors(path) for path in sys.argv[1:])
for name in sorted(first):
    if first[name] != second[name]:
        print(name)
END
}
tune() { # DIRECTORY [OPTION...]
  overriding nmt train --from-weights run --source train.src --target train.tgt --batch-tokens 500 --warmup 10 \
    --steps 10 --save-every 5 --quiet -o "$@"
}
tune free
changed run/last.safetensors free/last.safetensors >all
equal "$(grep -o '^encoder\|^decoder\|^embedding' all | sort -u | xargs)" "decoder embedding encoder" "parts that have changed"

tune frozen --freeze encoder --freeze '*embedding' --clip-norm 1
changed run/last.safetensors frozen/last.safetensors >rest
grep -v '^encoder\|^embedding' all | cmp - rest || fail "other tensors have changed: $(<rest)"
grep -q "weights, [0-9]* of them frozen" frozen/train.log || fail "no message about it: $(<frozen/train.log)"

tune average --freeze encoder --freeze '*embedding' --ema 0.9
changed run/last.safetensors average/last.safetensors | cmp - rest || fail "other tensors have changed in an average"

# A run continues exactly, also with other parts.
tune again --freeze encoder --freeze '*embedding' --clip-norm 1 --steps 5
tune again --freeze encoder --freeze '*embedding' --clip-norm 1
same again/last.safetensors frozen/last.safetensors
tune again --freeze decoder --freeze output --steps 15
changed frozen/last.safetensors again/last.safetensors >others
grep '^encoder\|^embedding' all | cmp - others || fail "other tensors have changed: $(<others)"

# Ranks divide the trained parts.
if command -v mpirun >/dev/null && [[ -f $(dirname "$NMT")/lib/libnmt_mpi.so && -z ${NMT_SANITIZED:-} ]]; then
  if [[ $(id -u) == 0 ]]; then export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1; fi
  export OMPI_MCA_rmaps_base_oversubscribe=1 OMPI_MCA_hwloc_base_binding_policy=none
  export OMPI_MCA_btl_vader_single_copy_mechanism=none # as in most containers
  mpirun -n 2 "$NMT" train --from-weights run/last.safetensors --source train.src --target train.tgt --batch-tokens 500 \
    --warmup 10 --steps 10 --threads 1 --freeze encoder --freeze '*embedding' --quiet -o ranks
  changed run/last.safetensors ranks/last.safetensors | cmp - rest || fail "other tensors have changed with two ranks"
fi

refuses 2 "--freeze: the model has no part and no weight 'encodr', did you mean 'encoder'" tune x --freeze encodr
refuses 2 "nothing left to train" tune x --freeze '*'
[[ ! -e x ]] || fail "a refused command left something"
