#!/usr/bin/env bash
# Averages of files, and of a run's checkpoints by age or by validation.
. "$(dirname "$0")/../lib.sh"
make_text
make_vocabulary
train --steps 60 --save-every 20 --valid-every 20 --valid-source test.src --valid-target test.tgt
step() { echo "run/step-000000$1.safetensors"; }

# Copies of one model give the same file as that model alone.
nmt average "$(step 40)" "$(step 40)" "$(step 40)" -o same.safetensors --quiet
same same.safetensors "$(step 40)"
nmt average "$(step 40)" -o same.safetensors --quiet
same same.safetensors "$(step 40)"

# --last N averages the newest files of the run, and a message names them.
nmt average run/ --last 2 -o last.safetensors 2>log
grep -q "step-00000040.safetensors, run/step-00000060.safetensors" log || fail "says nothing useful: $(<log)"
nmt average "$(step 40)" "$(step 60)" -o named.safetensors --quiet
same last.safetensors named.safetensors
nmt translate -m last.safetensors --quiet <test.src >test.out
equal "$(wc -l <test.out)" 50 "lines translated by an average"

# The best by validation.
ranked() { # METRIC ORDER...
  sed -n "/\"valid\"/ s/.*\"step\":\([0-9]*\).*\"$1\":\([-0-9.e+]*\).*/\2 \1/p" run/metrics.jsonl | sort "${@:2}" |
    cut -d ' ' -f 2
}
nmt average run --best 1 -o best.safetensors --quiet
same best.safetensors "$(step "$(ranked chrf -gr | sed -n 1p)")" # the figure of the run
nmt average run --best 1 --by perplexity -o best.safetensors --quiet
same best.safetensors "$(step "$(ranked perplexity -g | sed -n 1p)")"
nmt average run --best 1 --by loss -o best.safetensors --quiet
same best.safetensors "$(step "$(ranked loss -g | sed -n 1p)")"
nmt average run --best 1 --by bleu -o best.safetensors --quiet
same best.safetensors "$(step "$(ranked bleu -gr | sed -n 1p)")"
nmt average run --best 3 -o all.safetensors --quiet
nmt average run --last 3 -o named.safetensors --quiet
same all.safetensors named.safetensors

# One checkpoint has nothing to be compared with.
train --steps 5 -o short
nmt average short 2>&1 |
  contains "'short/average.safetensors': the newest checkpoint (step 5); not compared: it is the only checkpoint of the run" ||
  fail "says something else of one checkpoint"

# For a run alone, checkpoints are chosen and compared with the best one by the figure of the run; the better model is
# written.
close=(--steps 400 --save-every 50 --valid-every 50 --valid-source test.src --valid-target test.tgt -o close)
train "${close[@]}" --no-quiet 2>log
equal "$(sed -nE "s/^best_by: *//p" close/config.yml)" chrf "the figure of the run"
next=$(sed -n 's/^next: //p' log)
equal "$next" "nmt average close && nmt translate -m close/average.safetensors" "the next command"
nmt average close/ 2>log
grep -Eq "^'close/average.safetensors': the .* has chrf [0-9.]+ on '.*test.tgt'; (the .* has [0-9.]+)" log || fail "$(<log)"
told=$(sed -nE 's/.*has chrf ([0-9.]+) on .*/\1/p' log)
nmt translate -m close/average.safetensors --quiet <test.src >test.out
equal "$(nmt bleu test.tgt --metrics chrf --score-only --width 1 <test.out)" "$told" "chrF of what was written"
best=$(sed -nE 's/.*"valid".*"chrf":([0-9.]+).*/\1/p' close/metrics.jsonl | sort -g | tail -n 1)
holds "$told >= $best - 0.06"
nmt average close -o close/average.safetensors --quiet # what is there already may be replaced
nmt average close -o chosen.safetensors --quiet
same chosen.safetensors close/average.safetensors
# A greedy average is at least as good as the best checkpoint, with which it begins.
nmt average close --greedy -o greedy.safetensors 2>log
grep -Eq "^'greedy.safetensors': the (checkpoint of step|mean of steps) .* has chrf [0-9.]+ on '.*test.tgt'$" log || fail "$(<log)"
nmt translate -m greedy.safetensors --quiet <test.src >test.out
equal "$(nmt bleu test.tgt --metrics chrf --score-only --width 1 <test.out)" "$(sed -E 's/.*has chrf ([0-9.]+) on .*/\1/' log)" \
  "chrF of the greedy average"
holds "$(nmt bleu test.tgt --metrics chrf --score-only --width 4 <test.out) >= $best - 0.0001"
mapfile -t steps < <(grep -o "the .* has" log | grep -o '[0-9]\+' | xargs printf 'close/step-%08d.safetensors\n')
nmt average "${steps[@]}" -o steps.safetensors --quiet
same steps.safetensors greedy.safetensors
[[ -z $(compgen -G 'close/.average*') && -z $(compgen -G '.average*') ]] || fail "a file is left"
mv test.src moved.src
nmt average close -o chosen.safetensors 2>log
grep -q "the mean of steps .*; not compared: the validation text '.*test.src' no longer exists" log || fail "tells: $(<log)"
refuses 1 "--greedy compares translations of the validation text, but the validation text '.*test.src' no longer exists" \
  nmt average close --greedy -o no.safetensors
mv moved.src test.src
# Models are compared by the text of now, if it has changed; one that cannot be used is named.
cp test.src whole.src
cp test.tgt whole.tgt
head -n 20 whole.src >test.src
head -n 20 whole.tgt >test.tgt
nmt average close -o chosen.safetensors 2>log
grep -q "^warning: the validation text '.*test.tgt' has changed since the training" log || fail "tells: $(<log)"
grep -q "has chrf" log || fail "tells: $(<log)"
head -n 19 whole.tgt >test.tgt
nmt average close -o chosen.safetensors 2>log
grep -q "; not compared: '.*test.src' has 20 lines, but '.*test.tgt' has 19" log || fail "tells: $(<log)"
printf '\n \n' >test.tgt
cp test.tgt test.src
nmt average close -o chosen.safetensors 2>log
grep -q "; not compared: the validation text '.*test.tgt' is empty" log || fail "tells: $(<log)"
refuses 1 "--greedy compares translations of the validation text, but the validation text '.*test.tgt' is empty; give --best N" \
  nmt average close --greedy -o no.safetensors
mv whole.src test.src
mv whole.tgt test.tgt
rm -r chosen.safetensors close
refuses 1 "cannot read 'clos': No such file or directory" nmt average clos --greedy
refuses 1 "cannot read 'clos': No such file or directory" nmt average clos

# Two checkpoints far apart are not averaged; the better one is the result.
train --steps 10 --save-every 10 --valid-every 10 --valid-source test.src --valid-target test.tgt -o apart
train --steps 150 --save-every 0 --valid-every 0 --valid-source test.src --valid-target test.tgt -o apart --no-quiet 2>log
grep -q "^next: nmt translate -m apart$" log || fail "suggests an average: $(<log)"
nmt average apart 2>log
grep -q "the best checkpoint (step 150); not compared: " log || fail "tells: $(<log)"
same apart/average.safetensors apart/best.safetensors
rm -r apart

# An average must not replace one of its inputs, whether named or chosen.
sha256sum run/*.safetensors >before
refuses 2 "same file as '$(step 40)'" nmt average "$(step 40)" "$(step 60)" -o "$(step 40)"
refuses 2 "same file as 'run/+step-00000060" nmt average run/ --last 2 -o "$(step 60)"
refuses 2 "same file as 'run/+step-00000060" nmt average run/ --last 2 -o run/last.safetensors
sha256sum -c --quiet before
refuses 2 "--greedy chooses from a run directory alone; leave out --last" nmt average run/ --greedy --last 2 -o no.safetensors
refuses 2 "--greedy chooses from a run directory alone; leave it out for model files" nmt average "$(step 40)" --greedy -o no.safetensors
nmt average run/ --last 2 -o named.safetensors --quiet # what is there already may be replaced
same last.safetensors named.safetensors

# Invalid inputs and outputs are refused, and no file is left.
mkdir empty
files() { find . -type f ! -name before ! -name after ! -name 'refused.*' | sort; }
files >before
nmt train "${small[@]}" --d-ff 64 --vocab words.spm --source train.src --target train.tgt --steps 1 -o other --quiet
nmt vocab -i train.src -o source.spm --type word --size 30 --quiet
nmt train "${small[@]}" --tied-embeddings none --source-vocab source.spm --target-vocab words.spm \
  --source train.src --target train.tgt --steps 1 -o foreign --quiet
head -c 1000 "$(step 40)" >cut.safetensors
average() { nmt average "$@" -o new.safetensors; }
refuses 1 "other/last.safetensors' and .*: d_ff is 64 and 128;" average "$(step 40)" other/last.safetensors
refuses 1 "foreign/last.safetensors' and .* source_vocabulary is 30|tied_embeddings" \
  average "$(step 40)" foreign/last.safetensors
refuses 1 "cut\.safetensors' is damaged" average "$(step 40)" cut.safetensors
refuses 1 "missing" average missing
refuses 1 "missing" average missing --last 1
refuses 1 "has no checkpoint yet" average empty --last 1
refuses 1 "empty/metrics\.jsonl" average empty --best 1
refuses 1 "holds 3 checkpoints, not 4; ask for fewer, or train with a smaller --save-every or a larger --keep-last" \
  average run --last 4
refuses 1 "holds 3 checkpoints validated by loss, not 4" average run --best 4 --by loss
sed -i 's/"bleu":[^,]*,//' run/metrics.jsonl
refuses 1 "holds 0 checkpoints validated by bleu" average run --best 1 --by bleu
refuses 2 "'run' is a directory; give one run alone" average run "$(step 40)"
refuses 2 "'empty' is not the directory of a run: it has no config.yml" average empty
refuses 2 "chooses from one run directory" average run other --last 1
refuses 2 "chooses from one run directory" average "$(step 40)" --best 1
refuses 2 "--last and --best exclude each other" average run --last 1 --best 1
refuses 2 "--by needs --best" average run --last 1 --by loss
refuses 2 "by" average run --best 1 --by luck
refuses 2 "last" average run --last 0
refuses 2 "output" nmt average "$(step 40)"
refuses 2 "output" nmt average run --last 2
[[ ! -e new.safetensors ]] || fail "a refused command wrote its output"
refuses 1 "cannot write '/dev/full'" nmt average "$(step 40)" -o /dev/full
refuses 1 "cannot write 'missing/new" nmt average "$(step 40)" -o missing/new.safetensors
rm -r other foreign cut.safetensors source.spm
files >after
same before after
