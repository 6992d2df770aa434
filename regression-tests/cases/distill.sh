#!/usr/bin/env bash
# The student example on a small scale: killed and resumed, with a table at the end.
. "$(dirname "$0")/../lib.sh"
distill=$(cd "$(dirname "$0")/../../examples/distill" && pwd)/run.sh

mkdir texts
pairs 4711 260 >pairs
for part in train:1,200 valid:201,220 test:221,260; do
  sed -n "${part#*:}p" pairs | cut -f 1 >"texts/${part%:*}.en"
  sed -n "${part#*:}p" pairs | cut -f 2 | gzip >"texts/${part%:*}.de.gz"
done
export VOCAB_SIZE=45 TEACHER_STEPS=2 TUNING_STEPS=2
in_small() { # STUDENT-STEPS
  STUDENT_STEPS=$1 "$distill" --data texts --out run -- --d-model 32 --d-ff 64 --encoder-layers 1 --batch-tokens 500 --log-every 1
}

in_small 2 >out 2>log || fail "$(<log)"
equal "$(wc -l <run/distilled.de)" 200 "lines that the teacher translated"
equal "$(wc -l <run/student-shortlist.de)" 40 "lines that the student translated"
for row in teacher 'teacher, beam 4, int8' student 'student, int8' 'student, tuned for int8' \
  'student, tuned for int8, shortlist'; do
  grep -Eq "^$row(, beam 4)? +[0-9.]+ +[0-9.]+ +[0-9.]+ +[0-9]+$" out || fail "no row of '$row': $(<out)"
done

# A second call continues the training, and repeats only the steps that depend on it.
sha256sum run/shared.spm run/teacher.safetensors run/distilled.de run/teacher.seconds >made
before=$(sha256sum <run/student.safetensors)
in_small 4 >out 2>log || fail "$(<log)"
sha256sum --check --quiet made || fail "a finished step was done again: $(<log)"
[[ $(sha256sum <run/student.safetensors) != "$before" ]] || fail "the student has not learned on"
newest=$(sha256sum run/student*.*)
in_small 4 >out 2>log || fail "$(<log)"
equal "$(sha256sum run/student*.*)" "$newest" "files of a third call"

# An existing teacher is not trained.
STUDENT_STEPS=2 "$distill" --data texts --out other --teacher run/teacher.safetensors >out 2>log -- --log-every 1 ||
  fail "$(<log)"
[[ ! -e other/teacher ]] || fail "a teacher was trained"

refuses 2 "give one" "$distill" --data texts --wmt14 run
refuses 2 "unknown option '--steps'" "$distill" --steps 3
refuses 1 "holds no train.en" "$distill" --data other --out nothing
