#!/usr/bin/env bash
# Models that bring their own defaults for the search.
. "$(dirname "$0")/../lib.sh"
command -v python3 >/dev/null || skip "no python3"
make_model

# Adds a section to the configuration of a model file and removes its checksum, which is optional.
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

# Settings of the command line and of files override defaults; in an ensemble, the first model's defaults apply.
translate -m model.safetensors --scores "${same_options[@]}" --beam 3 >wider
translate -m own.safetensors --scores --beam 3 >given
same given wider
echo "beam: 3" >settings.yml
translate -m own.safetensors --scores --config settings.yml >given
same given wider
translate -m model.safetensors -m own.safetensors --scores >usual
translate -m model.safetensors --scores >expected
same usual expected

# A default yields to an explicit setting, with a notice. Two explicit settings can conflict.
gives_way() { # NOTICE, and what is to be found, OPTION...
  nmt translate -m own.safetensors "${@:2}" <test.src >own 2>log
  equal "$(grep overrides log)" "$1" "notices of: ${*:2}"
}
same_options=(--length-normalization power --length-penalty 1 --max-length-factor 3 --max-length-extra 3 --no-unk)
awk '{ print $(NF - 1) "\tapud" }' test.tgt >words
gives_way "--constraints overrides the default --beam-rules marian: searching with nmt" --constraints words
translate -m model.safetensors "${same_options[@]}" --beam 2 --constraints words >expected
same own expected
gives_way "--n-best overrides the default --beam 2: searching with 3" --n-best 3
translate -m model.safetensors "${same_options[@]}" --beam 3 --beam-rules marian --n-best 3 >expected
same own expected
gives_way "--alternatives overrides the default --beam-rules marian: searching with nmt" --n-best 2 --alternatives
translate -m model.safetensors "${same_options[@]}" --beam 2 --n-best 2 --alternatives >expected
same own expected
gives_way "--beam-groups overrides the default --beam-rules marian: searching with nmt" --beam-groups 2
translate -m model.safetensors "${same_options[@]}" --beam 2 --beam-groups 2 >expected
same own expected
for options in '--constraints words' '--beam-groups 2' '--n-best 2 --alternatives'; do
  # shellcheck disable=SC2086
  refuses 2 "need the beam rules of nmt, but --beam-rules is marian; leave one out" \
    translate -m own.safetensors --beam-rules marian $options
done
refuses 2 "--n-best 3 needs a beam at least as wide, but --beam is 2" translate -m own.safetensors --beam 2 --n-best 3
# JSON lines, each with its own settings, behave in the same way.
awk '{ print "{\"text\": \"the bad\", \"constraints\": [\"" $(NF - 1) "\"]}" }' test.tgt >lines
awk '{ print "the bad" >"bad"; print $(NF - 1) >"words" }' test.tgt
json() { nmt translate -m own.safetensors --input-format jsonl --output-format jsonl "$@" <lines 2>log; }
json | sed -E 's/^\{"text":"([^"]*)".*/\1/' >own
nmt translate -m model.safetensors --quiet "${same_options[@]}" --beam 2 --constraints words <bad >expected
same own expected
notice="'constraints' overrides the default 'beam_rules' marian: searching with nmt"
equal "$(grep overrides log)" "$notice"
equal "$(json | grep -cF "\"notices\":[\"$notice\"]")" "$(wc -l <lines)" "lines with a notice"
equal "$(json --beam-rules marian | grep -cF "\"notices\":[\"$notice\"]")" "$(wc -l <lines)" "lines that come before an option"
# A configuration of Marian sets a beam and implies Marian's rules.
echo 'beam-size: 2' >marian.yml
nmt translate -m model.safetensors --marian-config marian.yml --constraints words <bad >own 2>log
grep -q "constraints overrides the default .*beam-size.* marian: searching with nmt" log || fail "no notice: $(<log)"

# What options need may come from the model.
with_decoding groups.safetensors "  beam: 4.0
  beam_groups: 2"
translate -m groups.safetensors --diversity 1 >own
translate -m model.safetensors --beam 4 --beam-groups 2 --diversity 1 >expected
same own expected
refuses 2 "--diversity needs several groups; give --beam-groups" nmt translate -m model.safetensors --diversity 1 -i test.src

# Other commands keep the defaults in the models that they write.
for command in "convert --precision f32 -m own.safetensors" "average own.safetensors"; do
  # shellcheck disable=SC2086
  nmt $command -o kept.safetensors --quiet
  nmt info kept.safetensors >info
  grep -Eq '^ +beam rules +marian' info || fail "not kept by $command: $(<info)"
done

# Suppressed ids never occur.
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
