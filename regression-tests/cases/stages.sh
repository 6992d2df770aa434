#!/usr/bin/env bash
# Stages: each trains on its mixture of texts until its end; a run that is killed continues in its stage, bit for bit;
# configurations of OpusTrainer are read; invalid curricula are refused.
. "$(dirname "$0")/../lib.sh"
make_text
make_vocabulary
align() { awk -F '\t' '{ n = split($1, s, " "); line = ""; for (i = 0; i < n && i < 3; ++i) line = line " " i "-" i; print $0 "\t" substr(line, 2) }'; }
{ paste train.src train.tgt | sed -n 1,298p; printf 'the the\tthe the\nthe\tla la la la la la la la la la la la\n'; } | align >clean.tsv
mkdir texts
paste train.src train.tgt | tail -n 200 | align >texts/back.tsv
nmt batch --vocab words.spm --tsv texts/back.tsv --tsv-columns source,target,alignment --max-ratio 9 --quiet -o texts/back.nmtc

curriculum() { # CORPUS
  cat <<END
corpora:
  clean: clean.tsv
  back: $1
columns: [source, target, alignment]
stages:
- name: mixed
  mix: {clean: 0.25, back: 0.75}
  augment: {title: 0.2, tag: 0.1}
  until: 1 epoch of back
- name: noisy
  mix: back
  augment: {typo: 0.3, drop: 0.1}
  learning_rate: 0.5
  until: 2000 tokens
- name: short
  mix: clean
  max_length: 9
  batch_tokens: 50
  until: 5 updates
END
}
curriculum texts/back.tsv >curriculum.yml
run() { # DIRECTORY [OPTION...]
  overriding nmt train "${small[@]}" --vocab words.spm --steps 0 --save-every 3 --log-every 1 --seed 3 -o "$@"
}
run whole --stages curriculum.yml 2>log
for stage in "1 of 3, 'mixed': 500 pairs a pass: 125 of the 300 of 'clean.tsv', 375 of the 200 of 'texts/back.tsv'; until 1 epoch of back" \
  "2 of 3, 'noisy': 200 pairs; until 2000 tokens" "3 of 3, 'short': 300 pairs; until 5 updates"; do
  grep -qF "stage $stage" log || fail "no message about stage $stage: $(<log)"
done
stages() { sed -n 's/.*"event": *"train".*"stage": *"\([a-z]*\)".*/\1/p' "$1/metrics.jsonl" | uniq -c | xargs; }
grep -q '^max_ratio: 9$' whole/config.yml || fail "no filter in the configuration: $(<whole/config.yml)"
equal "$(stages whole | awk '{ print $2, $4, $6 }')" "mixed noisy short" "stages in metrics.jsonl"
equal "$(stages whole | awk '{ print $5 }')" 5 "updates of the last stage"
# A place in the second stage: its tokens reach the limit with the last update only.
awk -F '[:,]' '/"train"/ { for (i = 1; i < NF; ++i) if ($i ~ /target_tokens"/) print $(i + 1), $0 }' whole/metrics.jsonl |
  awk '/"mixed"/ { before = $1 } /"noisy"/ { last = previous; previous = $1 - before } END { exit !(previous >= 2000 && last < 2000) }' ||
  fail "the second stage has another length"

# The last stage has smaller batches.
grep -o '"target_tokens":[0-9]*' whole/metrics.jsonl | cut -d : -f 2 |
  awk '{ size = $1 - last; last = $1 } NR == 1 { first = size } END { exit !(size <= 50 && first > 50) }' ||
  fail "batch_tokens of a stage has no effect"

# Packed text, and a run that continues after each second update.
curriculum texts/back.nmtc >packed.yml
run packed --stages packed.yml --quiet
equal "$(metrics packed)" "$(metrics whole)" "metrics of training on packed text"
updates=$(grep -c '"train"' whole/metrics.jsonl)
for ((step = 1; step < updates; step += 2)); do run again --stages curriculum.yml --steps "$step" --quiet; done
run again --stages curriculum.yml --steps 0 --quiet
equal "$(metrics again)" "$(metrics whole)" "metrics of a run in parts"
same again/last.safetensors whole/last.safetensors

# Kills at random moments.
for _ in 1 2 3 4; do
  timeout --signal KILL "0.$((RANDOM % 9 + 1))" "$NMT" train "${small[@]}" --vocab words.spm --stages curriculum.yml --steps 0 \
    --save-every 3 --log-every 1 --seed 3 --quiet -o killed 2>/dev/null || true
done
run killed --stages curriculum.yml --quiet
equal "$(metrics killed)" "$(metrics whole)" "metrics after kills"
same killed/last.safetensors whole/last.safetensors
run whole --stages curriculum.yml 2>log
grep -q "is finished: $updates updates; its last stage has ended" log || fail "no message about the end: $(<log)"

# A stage ends when validations stall.
sed 's/until: 5 updates/until: stalled 2/' curriculum.yml >stalled.yml
run stalled --stages stalled.yml --valid-source test.src --valid-target test.tgt --valid-every 2 --valid-beam 0 \
  --best-by loss --learning-rate 0 --early-stopping 0 --quiet
holds "$(grep -c '"short"' stalled/metrics.jsonl) < 12"

# OpusTrainer.
cat >opustrainer.yml <<'END'
datasets:
  clean: clean.tsv
  back: texts/back.tsv
stages: [first, second]
first:
- clean 0.25
- back 0.75
- until back 1
second:
  mix: [clean 1.0, until clean 1]
  modifiers: []
modifiers:
- UpperCase: 0.1
- Tags: 0.05
  augment: 1
  tag: 0
  custom_detok_src: en
- Prefix: 0.1
seed: 1111
num_fields: 3
END
run opus --opustrainer-config opustrainer.yml 2>log
grep -q "opustrainer-config: no counterpart for Prefix, Tags: custom_detok_src, seed" log || fail "no message: $(<log)"
equal "$(stages opus | awk '{ print $2, $4 }')" "first second" "stages of OpusTrainer"

refused() { # PATTERN SED-SCRIPT
  sed "$2" curriculum.yml >bad.yml
  refuses 2 "$1" run x --stages bad.yml
}
refused "stage 'mixed': unknown text 'bck', did you mean 'back'" 's/back: 0.75/bck: 0.75/'
refused "bad.yml:8: stage 'mixed': unknown setting 'augmnt', did you mean 'augment'" '8s/augment/augmnt/'
refused "bad.yml:8: stage 'mixed': augment: unknown modifier 'titl', did you mean 'title'" 's/title/titl/'
refused "stage 'mixed': until: expected '2 epochs of TEXT'" 's/1 epoch of/1 pass of/'
refused "stage 'mixed' ends after epochs of 'other'" 's/epoch of back/epoch of other/'
refused "stage 'noisy' never ends" '/2000 tokens/d'
refused "stage 'mixed': placeholder, copy, tag and terms need word alignments" 's/, alignment]/, skip]/'
refuses 2 "stages names the texts; leave out --source and --target" run x --stages curriculum.yml --source train.src --target train.tgt
run plain --tsv clean.tsv --tsv-columns source,target,skip --steps 1 --quiet
refuses 2 "stages names the texts; leave out plain/config.yml:[0-9]*: tsv$" run plain --stages curriculum.yml
for filter in "--max-copied 0.5" "--max-ratio 3" "--match-numbers" "--languages en,de"; do
  read -ra filter <<<"$filter"
  refuses 2 "${filter[0]#--} needs text, which is filtered when it is read, but '.*back.nmtc' is packed" \
    run x --stages packed.yml "${filter[@]}"
done
refuses 2 "stages has noise of its own; leave out --augment" run x --stages curriculum.yml --augment upper=0.1
# A continued run keeps the settings of its stages, as it keeps others; learning rates may change.
sed 's/5 updates/6 updates/' curriculum.yml >longer.yml
refuses 2 "stage 'short': the run in 'whole' has until '5 updates', not '6 updates'" run whole --stages longer.yml
sed 's/max_length: 9/max_length: 8/' curriculum.yml >shorter.yml
refuses 2 "stage 'short': the run in 'whole' has max_length '9', not '8'" run whole --stages shorter.yml
sed 's/typo: 0.3/typo: 0.2/' curriculum.yml >clearer.yml
refuses 2 "stage 'noisy': the run in 'whole' has augment 'typo=0.3,drop=0.1', not 'typo=0.2,drop=0.1'" \
  run whole --stages clearer.yml
sed 's/clean: 0.25/clean: 0.5/' curriculum.yml >richer.yml
refuses 1 "or on a mixture of other ratios" run whole --stages richer.yml
run begun --stages curriculum.yml --steps 2 --quiet
sed 's/learning_rate: 0.5/learning_rate: 0.4/' curriculum.yml >slower.yml
run begun --stages slower.yml --steps 3 2>log
grep -q "learning_rate of stage 'noisy' changed from '0.5' to '0.4'" log || fail "no message: $(<log)"
refused "bad.yml:13: stage 'noisy': learning_rate: expected a number from 0 to 1000000" 's/learning_rate: 0.5/learning_rate: 1e300/'
refused "bad.yml:18: stage 'short': batch_tokens: expected a number above 0" 's/batch_tokens: 50/batch_tokens: 0/'
refused "bad.yml:[0-9]+: stage 'mixed': mix: back: expected a number" 's/back: 0.75/back: much/'
refused "bad.yml:[0-9]+: corpora: back: expected a text" 's/back: [a-z].*/back: [a, b]/'
refused "bad.yml:[0-9]+: columns: unknown column 'sorce', did you mean 'source'" 's/\[source,/[sorce,/'
refused "bad.yml:[0-9]+: stage 1: expected a stage with a name" '/name: mixed/s/name: mixed/until: 1 epoch/; /until: 1 epoch of/d'
refuses 2 "stage 'noisy' ends when validations find nothing better, which needs validations during training; set --valid-every" \
  run x --stages <(sed 's/2000 tokens/stalled 2/' curriculum.yml) --valid-source test.src --valid-target test.tgt --valid-every 0
sed 's/clean 1.0/clean much/' opustrainer.yml >bad.yml
refuses 2 "bad.yml:[0-9]+: stage '[a-z]+': (mix: )?expected 'TEXT RATIO' or 'until TEXT PASSES', got 'clean much'" \
  run x --opustrainer-config bad.yml

# Names of texts may have spaces.
sed 's/  back: /  back of all: /; s/back: 0.75/back of all: 0.75/; s/epoch of back/epoch of back of all/; s/mix: back/mix: back of all/' \
  curriculum.yml >spaces.yml
run spaces --stages spaces.yml --quiet
equal "$(metrics spaces)" "$(metrics whole)" "metrics with another name of a text"

# The page of a run has its stages.
nmt report whole -o page.html
grep -q '"stages":\[{"name":"mixed","step":1,.*{"name":"noisy",.*{"name":"short",' page.html || fail "no stages on the page"
refused "names no texts to train on" '1,3d'
refused "stage 'noisy' ends when validations find nothing better, which needs a validation text" 's/2000 tokens/stalled 2/'
[[ ! -e x ]] || fail "a refused command left something"

# Neither messages nor --overwrite replace a text that a curriculum names, nor any other text.
cp clean.tsv kept
refuses 2 "log-file: 'clean.tsv' is the same file as" run x --stages curriculum.yml --log-file clean.tsv
same clean.tsv kept
cp clean.tsv whole/train.log
sed "s|clean.tsv|whole/train.log|" curriculum.yml >inside.yml
refuses 2 "'whole/train.log' is part of the run that --overwrite removes" run whole --stages inside.yml --overwrite
same whole/train.log kept
