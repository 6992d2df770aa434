#!/usr/bin/env bash
# The program for AArch64, run by qemu, uses the instruction sets of each processor, translates like the program
# for x86-64, and continues its runs; and the other way round.
. "$(dirname "$0")/../lib.sh"
[[ $NMT == */arm64-nmt ]] || skip "only run.sh --arm64 builds for AArch64"
arm=$NMT
native=$(dirname "$arm")/../build/nmt

# Processors without extensions, with dotprod, and with all.
sets() { "$arm" info | sed -n 's/^instruction sets *//p'; }
equal "$(QEMU_CPU=cortex-a72 sets)" "neon" "instruction sets"
equal "$(QEMU_CPU=neoverse-n1 sets)" "neon neon_dotprod" "instruction sets"
equal "$(QEMU_CPU=max sets)" "neon neon_dotprod neon_i8mm neon_bf16" "instruction sets"

NMT=$native
make_model
export QEMU_CPU=cortex-a72
refuses 2 "lacks neon_dotprod: use neon$" "$arm" translate -m model.safetensors --precision int8 --cpu-isa neon_dotprod
refuses 2 "cpu-isa" "$arm" translate -m model.safetensors --cpu-isa avx2

# Integers are summed without rounding on all of them.
for precision in f32 int8; do
  "$native" translate -m model.safetensors --precision $precision --scores --quiet <test.src >expected.$precision
done
close() { # FILE FILE: scores differ by less than 1e-4, texts not at all
  same <(cut -f 2- "$1") <(cut -f 2- "$2")
  paste <(cut -f 1 "$1") <(cut -f 1 "$2") | awk '{ d = $1 - $2; if (d > 1e-4 || d < -1e-4) { print; exit 1 } }' ||
    fail "the scores of $1 and $2 differ"
}
for combination in cortex-a72/f32/neon cortex-a72/int8/neon neoverse-n1/int8/neon_dotprod max/int8/neon_i8mm; do
  IFS=/ read -r QEMU_CPU precision isa <<<"$combination"
  "$arm" translate -m model.safetensors --precision "$precision" --cpu-isa "$isa" --scores --quiet <test.src >"$isa.$precision"
  close "$isa.$precision" "expected.$precision"
done
for isa in neon neon_bf16; do
  QEMU_CPU=max "$arm" translate -m model.safetensors --precision bf16 --cpu-isa $isa --quiet <test.src >$isa.bf16
  lines=$(paste -d '|' $isa.bf16 <(cut -f 2 expected.f32) | awk -F '|' '$1 == $2' | wc -l)
  holds "$lines >= 45" || fail "only $lines lines in bf16 by $isa are those in f32"
done

# A run continues where the other program stopped.
export QEMU_CPU=max
options=(--dropout 0.1 --valid-source test.src --valid-target test.tgt --log-every 5 --valid-every 0 --save-every 5)
loss() { sed -n 's/.*"event":"train","step":20,.*"loss":\([0-9.]*\).*/\1/p' "$1/metrics.jsonl"; }
for order in native/native arm/native native/arm arm/arm; do
  run=${order/\//-}
  first=${order%/*} second=${order#*/}
  NMT=${!first} train "${options[@]}" --steps 10 -o "$run"
  "${!second}" train -o "$run" --steps 20 --quiet
  holds "$(loss "$run") - $(loss native-native) < 1e-4 && $(loss native-native) - $(loss "$run") < 1e-4"
done

models=${NMT_REFERENCE_DATA:-}/foreign
[[ -d $models ]] || exit 0
head -n 10 "$models/marian/in.en" >in.en
for name in transformer-post aan ssru-tied s2s-gru; do
  "$native" convert "$models/marian/$name/model.npz" --vocab "$models/marian/joint.spm" -o $name.safetensors --quiet
done
for model in {transformer-post,aan,ssru-tied,s2s-gru}.safetensors "$models"/huggingface/marian "$models"/ctranslate2/*; do
  for beam in 1 4; do
    "$native" translate -m "$model" --precision f32 --beam $beam --quiet <in.en >expected
    "$arm" translate -m "$model" --precision f32 --beam $beam --quiet <in.en >translated
    diff expected translated || fail "$model with beam $beam translates differently"
  done
done
