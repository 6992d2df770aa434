#!/usr/bin/env bash
# A fast student of a large teacher. The teacher is trained, or given, and translates the training text. A small model
# with a recurrent decoder (SSRU) learns from that, is fine-tuned for int8, and translates greedily with a shortlist.
# Ends with a table of the costs and gains of each step. A second call continues where the first one was stopped.
# usage: run.sh [--data DIR | --wmt14 DIR] [--teacher MODEL] [--out DIR] [--quick] [-- SETTING...]
#   --data DIR       folder with train, valid and test (or test2016) as .en and .de, plain, .gz or .xz (default:
#                    downloads Multi30k)
#   --wmt14 DIR      output of examples/wmt14/run.sh: uses its text, its vocabulary, and its model as the teacher. The
#                    student has the preset student-tiny, which takes days on a CPU
#   --teacher MODEL  an existing teacher, instead of training one
#   --out DIR        folder for all results (default: out/distill)
#   --quick          trains each model for only a minute, to check that everything works
#   -- SETTING...    more settings of nmt train for the student
# Environment: SOURCE and TARGET are the languages (en, de), VOCAB_SIZE the pieces (8000), TEACHER_STEPS,
# STUDENT_STEPS and TUNING_STEPS the updates (3600, 6000 and 500; with --wmt14 200000 and 5000).
. "$(dirname "${BASH_SOURCE[0]}")/../lib.sh"

source=${SOURCE:-en} target=${TARGET:-de}
out=$root/out/distill
wmt14='' teacher='' quick=''

while (($# > 0)); do
  case $1 in
    --data) data=${2:?--data needs a folder} && shift 2 ;;
    --wmt14) wmt14=${2:?--wmt14 needs a folder} && shift 2 ;;
    --teacher) teacher=${2:?--teacher needs a model} && shift 2 ;;
    --out) out=${2:?--out needs a folder} && shift 2 ;;
    --quick) quick=1 && shift ;;
    --) shift && break ;;
    -h | --help) usage && exit 0 ;;
    *) fail_usage "unknown option '$1'" ;;
  esac
done
settings=("$@")
[[ -z $data || -z $wmt14 ]] || fail_usage "--data and --wmt14 exclude each other; give one"

# The text of examples/wmt14 is in two folders.
gather_wmt14() {
  local name side
  mkdir -p "$out/data"
  for side in "$source" "$target"; do
    ln -sf "$(realpath "$wmt14/train.$side.gz")" "$out/data/train.$side.gz"
    for name in valid test; do ln -sf "$(realpath "$wmt14/news/$name.$side")" "$out/data/$name.$side"; done
  done
  [[ -n $teacher ]] || for teacher in "$wmt14"/*-averaged.safetensors; do :; done # big comes after base
}

# Prints the settings of nmt train for the text to learn, with the translation FILE.
pairs_with() { # FILE
  printf '%s\n' --source "$(text "train.$source")" --target "$1" \
    --valid-source "$(text "valid.$source")" --valid-target "$(text "valid.$target")" --valid-beam 1
}

train_teacher() {
  local pairs
  mapfile -t pairs < <(pairs_with "$(text "train.$target")")
  "$nmt" train --preset transformer-small --vocab "$vocabulary" "${pairs[@]}" --batch-tokens 3000 --warmup 1000 \
    --learning-rate 0.8 --steps "$teacher_steps" --save-every 110 --keep-last "$averaged" --valid-every 600 \
    -o "$out/teacher"
}

# Prints the student's own settings, followed by the user's.
student_settings() {
  if [[ $wmt14 ]]; then
    printf '%s\n' --valid-every 5000 "${settings[@]}"
  else
    printf '%s\n' --dropout 0.1 --batch-tokens 3000 --save-every 200 --valid-every 600 "${settings[@]}"
  fi
}

# A student of a small text sees it often, so it is smaller and has dropout.
train_student() {
  local pairs options size=()
  mapfile -t pairs < <(pairs_with "$distilled")
  mapfile -t options < <(student_settings)
  [[ $wmt14 ]] || size=(--d-model 128 --d-ff 512 --heads 4 --encoder-layers 4 --warmup 1000)
  overriding "$nmt" train --preset student-tiny "${size[@]}" --vocab "$vocabulary" "${pairs[@]}" "${options[@]}" \
    --steps "$student_steps" --keep-last "$averaged" -o "$out/student"
}

# The student learns to compensate for rounding.
tune_student() {
  local pairs options anew=()
  mapfile -t pairs < <(pairs_with "$distilled")
  mapfile -t options < <(student_settings)
  ! is_stale "$out/tuned/config.yml" "$student" || anew=(--overwrite)
  overriding "$nmt" train --from-weights "$student" --quantization-aware "${pairs[@]}" "${options[@]}" --schedule constant \
    --learning-rate 1e-4 --warmup 100 --steps "$tuning_steps" "${anew[@]}" -o "$out/tuned"
}

to_int8() { # MODEL OUTPUT
  if is_stale "$2" "$1"; then "$nmt" convert -m "$1" --precision int8 -o "$2"; fi
}

# Translates the test set if necessary, and records the seconds it took.
translate() { # NAME MODEL OPTION...
  local begin
  is_stale "$out/$1.seconds" "$2" "$(text "$test.$source")" || return 0
  step "translation: $1"
  begin=$EPOCHREALTIME
  save "$out/$1.$target" "$nmt" translate -m "$2" -i "$(text "$test.$source")" --quiet "${@:3}"
  save "$out/$1.seconds" awk "BEGIN { print $EPOCHREALTIME - $begin }"
}

score() { # METRIC TRANSLATION
  "$nmt" bleu "$(text "$test.$target")" --metrics "$1" --score-only --quiet <"$2"
}

# Prints a line of the table.
tell() { # NAME LABEL FILE...
  local bytes words
  bytes=$(cat "${@:3}" | wc -c)
  words=$(unpacked "$(text "$test.$source")" | wc -w)
  awk -v label="$2" -v bleu="$(score bleu "$out/$1.$target")" -v chrf="$(score chrf "$out/$1.$target")" \
    -v bytes="$bytes" -v words="$words" -v seconds="$(<"$out/$1.seconds")" \
    'BEGIN { printf "%-36s %6s %6s %9.1f %9.0f\n", label, bleu, chrf, bytes / 1e6, words / seconds }'
}

teacher_steps=3600 student_steps=6000 tuning_steps=500
[[ -z $wmt14 ]] || student_steps=200000 tuning_steps=5000
[[ -z $quick ]] || teacher_steps=60 student_steps=200 tuning_steps=20
teacher_steps=${TEACHER_STEPS:-$teacher_steps}
student_steps=${STUDENT_STEPS:-$student_steps}
tuning_steps=${TUNING_STEPS:-$tuning_steps}
averaged=5 # checkpoints

build default
mkdir -p "$out"
if [[ $wmt14 ]]; then gather_wmt14; elif [[ -z $data ]]; then download_multi30k "$out/data"; fi
data=${data:-$out/data}
test=test2016
[[ -n $(compgen -G "$data/$test.$source*") ]] || test='test'
for name in {train,valid,$test}.{$source,$target}; do text "$name" >/dev/null; done

vocabulary=$out/shared.spm
distilled=$out/distilled.$target
student=$out/student.safetensors
small_teacher=$out/teacher-int8.safetensors
small_student=$out/student-int8.safetensors
tuned_student=$out/tuned-int8.safetensors
list=$out/$source-$target.shortlist

if [[ $wmt14 ]]; then
  vocabulary=$wmt14/shared.spm
elif is_stale "$vocabulary" "$(text "train.$source")" "$(text "train.$target")"; then
  step "vocabulary"
  "$nmt" vocab -i "$(text "train.$source")" -i "$(text "train.$target")" -o "$vocabulary" --size "${VOCAB_SIZE:-8000}"
fi
if [[ -z $teacher ]]; then
  teacher=$out/teacher.safetensors
  step "the teacher: $teacher_steps updates"
  train_teacher
  if is_stale "$teacher" "$out/teacher/metrics.jsonl"; then average "$out/teacher" "$averaged" "$teacher"; fi
fi
to_int8 "$teacher" "$small_teacher"
if is_stale "$distilled" "$small_teacher" "$(text "train.$source")"; then
  step "translation of the training text by the teacher"
  save "$distilled" "$nmt" translate -m "$small_teacher" -i "$(text "train.$source")" --beam 4
fi
step "the student: $student_steps updates"
train_student
if is_stale "$student" "$out/student/metrics.jsonl"; then average "$out/student" "$averaged" "$student"; fi
to_int8 "$student" "$small_student"
step "fine-tuning for int8: $tuning_steps updates"
tune_student
to_int8 "$out/tuned/last.safetensors" "$tuned_student"
if is_stale "$list" "$student"; then
  step "shortlist"
  "$nmt" shortlist -m "$student" --source "$(text "train.$source")" --target "$distilled" -o "$list"
fi

translate teacher "$teacher" --beam 4
translate teacher-int8 "$small_teacher" --beam 4
translate student "$student" --beam 1
translate student-int8 "$small_student" --beam 1
translate student-tuned "$tuned_student" --beam 1
translate student-shortlist "$tuned_student" --beam 1 --shortlist "$list"

printf '%-36s %6s %6s %9s %9s\n' "$test" BLEU chrF 'size, MB' words/s
tell teacher 'teacher, beam 4' "$teacher"
tell teacher-int8 'teacher, beam 4, int8' "$small_teacher"
tell student 'student' "$student"
tell student-int8 'student, int8' "$small_student"
tell student-tuned 'student, tuned for int8' "$tuned_student"
tell student-shortlist 'student, tuned for int8, shortlist' "$tuned_student" "$list"
