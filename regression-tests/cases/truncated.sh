#!/usr/bin/env bash
# A file that is truncated or overwritten while a command reads it is one error with exit code 1, and its contents are
# not output. A server keeps its old model.
. "$(dirname "$0")/../lib.sh"
. "$(dirname "$0")/../faults.sh"
make_little_run
nmt translate -m model.safetensors --quiet <test.src >expected
nmt batch --source train.src --target train.tgt --vocab words.spm -o pairs.nmtc --quiet
nmt train "${tiny[@]}" --norm post --vocab words.spm --source train.src --target train.tgt --steps 8 -o post
for toolkit in huggingface ctranslate2; do
  nmt convert -m post/last.safetensors --to $toolkit -o $toolkit --quiet
done
mkdir inputs
mv model.safetensors words.spm pairs.nmtc huggingface ctranslate2 inputs
cp little/step-00000006.safetensors inputs/other.safetensors
cp post/last.safetensors inputs/post.safetensors

translate() { nmt translate -m inputs/model.safetensors --threads 1 --quiet <test.src; }
ensemble() { nmt translate -m inputs/model.safetensors -m inputs/other.safetensors --threads 1 --quiet <test.src; }
of_huggingface() { nmt translate -m inputs/huggingface --threads 1 --quiet <test.src; }
of_ctranslate2() { nmt translate -m inputs/ctranslate2 --threads 1 --quiet <test.src; }
score() { nmt score -m inputs/model.safetensors --threads 1 --source test.src --target test.tgt --quiet; }
attention() { nmt attention -m inputs/model.safetensors --source test.src --format tsv -o out.file --quiet; }
info() { nmt info inputs/model.safetensors; }
info_of_corpus() { nmt info inputs/pairs.nmtc; }
average() { nmt average inputs/model.safetensors inputs/other.safetensors -o out.file --quiet; }
convert() { nmt convert -m inputs/model.safetensors -o out.file --quiet; }
quantize() { nmt convert -m inputs/model.safetensors --precision int8 -o out.file --quiet; }
export_it() { nmt convert -m inputs/post.safetensors --to huggingface -o out.file --quiet; }
import_it() { nmt convert -m inputs/huggingface -o out.file --quiet; }
batch() { nmt batch --source train.src --target train.tgt --vocab inputs/words.spm -o out.file --threads 1 --quiet; }
train() { nmt train "${tiny[@]}" --train inputs/pairs.nmtc --steps 8 -o out.file; }
train_further() {
  nmt train "${tiny[@]}" --from-weights inputs/model.safetensors --train inputs/pairs.nmtc --steps 8 -o out.file
}

cp -r inputs whole.inputs
restore() {
  rm -rf inputs out.file
  cp -r whole.inputs inputs
}
for job in translate ensemble of_huggingface of_ctranslate2 score attention info info_of_corpus average \
  convert quantize export_it import_it batch train train_further; do
  restore
  rm -f whole.file
  NMT_FAULT_COUNT=$PWD/calls LD_PRELOAD=$shim $job >whole.out 2>err || fail "$job: $(<err)"
  [[ ! -f out.file ]] || mv out.file whole.file
  failures=0
  for ((k = 1; k <= $(sed -n 's/^mmap //p' calls); ++k)); do
    restore
    status=0
    with_fault "mmap:$k:vanish" $job >out 2>err || status=$?
    if ((status == 0)); then # what vanished was not read, or of another kind
      same out whole.out
      [[ ! -f whole.file ]] || same out.file whole.file
      continue
    fi
    equal $status 1 "exit code of $job with map $k truncated: $(<err)"
    [[ $(<err) =~ ^'error: '[^$'\n']*$ ]] || fail "$job: not one line but '$(<err)'"
    [[ ! -s out ]] || fail "$job: wrote $(<out)"
    [[ $job == train* || ! -e out.file ]] || fail "$job: left out.file"
    if grep -q ' was truncated ' err; then failures=$((failures + 1)); fi
  done
  ((failures > 0)) || fail "$job: no file was called truncated; the last words are '$(<err)'"
done
restore

# A server whose model is truncated while it is reloaded.
serve() { start_server "$@" "$NMT" serve -m en-de=inputs/model.safetensors --threads 1; } # COMMAND...
answers() {
  curl --silent --fail-with-body "$url/v1/translate" -d "{\"text\": \"$(head -n 1 test.src)\", \"split\": false}" >answer ||
    fail "no answer: $(<answer) $(<log)"
  grep -qF "\"text\":\"$(head -n 1 expected)\"" answer || fail "answered $(<answer)"
}
reloads=0
for k in 2 3 4; do
  cp whole.inputs/model.safetensors inputs/model.safetensors
  serve env NMT_FAULT="mmap:$k:vanish" LD_PRELOAD="$shim"
  answers
  kill -HUP $server
  until grep -Eq "stays as it was|is ready: .*is ready: " <(tr '\n' ' ' <log); do
    kill -0 $server || fail "a truncated file ended the server: $(<log)"
    sleep 0.05
  done
  answers
  if grep -q "'en-de' stays as it was: 'inputs/model.safetensors' was truncated" log; then reloads=$((reloads + 1)); fi
  kill $server
  exits 0 wait $server
done
((reloads > 0)) || fail "no reload met the truncated file: $(<log)"

# A model that is overwritten by cp again and again, as people do, while it is reloaded.
cp whole.inputs/model.safetensors inputs/model.safetensors
serve env
for _ in {1..20}; do
  cp whole.inputs/other.safetensors inputs/model.safetensors &
  copying=$!
  kill -HUP $server
  cp whole.inputs/model.safetensors inputs/model.safetensors
  wait $copying
  kill -0 $server || fail "cp ended the server: $(<log)"
done
cp whole.inputs/model.safetensors inputs/model.safetensors
ready=$(grep -c 'is ready: ' log)
kill -HUP $server
until (($(grep -c 'is ready: ' log) > ready)); do
  kill -0 $server || fail "cp ended the server: $(<log)"
  sleep 0.05
  kill -HUP $server
done
answers
kill $server
exits 0 wait $server
