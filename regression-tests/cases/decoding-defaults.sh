#!/usr/bin/env bash
# A model that comes with defaults of the search.
. "$(dirname "$0")/../lib.sh"
command -v python3 >/dev/null || skip "no python3"
make_model

# Puts a section into the configuration of a model file; its checksum goes, which may be missing.
with_decoding() { # FILE SECTION
  python3 - "$@" <<'END'
import json, struct, sys
data = open("model.safetensors", "rb").read()
length = struct.unpack("<Q", data[:8])[0]
header = json.loads(data[8:8 + length])
metadata = header["__metadata__"]
metadata["config"] += "decoding:\n" + sys.argv[2]
del metadata["checksum"], metadata["checksum_type"]
text = json.dumps(header).encode()
text += b" " * (-(len(text) + 8) % 64)
open(sys.argv[1], "wb").write(struct.pack("<Q", len(text)) + text + data[8 + length:])
END
}
translate() { overriding nmt translate --quiet "$@" <test.src; }

unknown=$(nmt info model.safetensors --json | grep -c decoding || true)
equal "$unknown" 0 "nothing is said where there is nothing"
with_decoding own.safetensors "  beam: 2
  beam_rules: marian
  length_normalization: power
  length_penalty: 1
  max_length_factor: 3
  max_length_extra: 3
  unk: false"
same_options=(--beam 2 --beam-rules marian --length-normalization power --length-penalty 1 --max-length-factor 3
  --max-length-extra 3 --no-unk)
translate -m model.safetensors --scores "${same_options[@]}" >expected
translate -m own.safetensors --scores >own
same own expected

# What is given on the command line or in a file counts, and of an ensemble the first model.
translate -m model.safetensors --scores "${same_options[@]}" --beam 3 >wider
translate -m own.safetensors --scores --beam 3 >given
same given wider
echo "beam: 3" >settings.yml
translate -m own.safetensors --scores --config settings.yml >given
same given wider
translate -m model.safetensors -m own.safetensors --scores >usual
translate -m model.safetensors --scores >expected
same usual expected
refuses 2 "--n-best 3 needs a beam as wide, but --beam is 2" translate -m own.safetensors --n-best 3

# What is done to a model keeps them.
for command in "convert --precision f32 -m own.safetensors" "average own.safetensors"; do
  # shellcheck disable=SC2086
  nmt $command -o kept.safetensors --quiet
  nmt info kept.safetensors >info
  grep -Eq '^ +beam rules +marian' info || fail "not kept by $command: $(<info)"
done

# Ids that never come.
id=$(translate -m model.safetensors --beam 1 | grep -cw la)
((id > 0)) || fail "nothing to suppress"
with_decoding silent.safetensors "  suppress: $(seq -s ' ' 3 30)"
translate -m silent.safetensors >silent
if cmp -s silent usual; then fail "nothing has changed"; fi

with_decoding wrong.safetensors "  beem: 2"
refuses 1 "'wrong.safetensors', decoding: unknown setting 'beem'" translate -m wrong.safetensors
refuses 1 "'wrong.safetensors', decoding: unknown setting 'beem'" nmt info wrong.safetensors
with_decoding wrong.safetensors "  beam: 0"
refuses 1 "'wrong.safetensors', decoding: beam '0' is not" translate -m wrong.safetensors --beam 4
with_decoding wrong.safetensors "  suppress: 4000"
refuses 1 "'wrong.safetensors', decoding: suppress '4000' is not" translate -m wrong.safetensors
