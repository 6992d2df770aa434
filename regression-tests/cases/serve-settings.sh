#!/usr/bin/env bash
# The models of a server can have their own search settings, shortlists and vocabularies.
. "$(dirname "$0")/../lib.sh"
make_model
nmt shortlist -m model.safetensors --source train.src --target train.tgt -o tiny --best 1 --frequent 1
head -n 12 test.src >lines

# The output of nmt translate with the same options.
translate() { nmt translate -m model.safetensors --quiet --output-format jsonl "$@" <lines | grep -o '"score":[^,]*'; }
translate >usual
translate --shortlist tiny --beam 2 --length-penalty 1.5 >own
if cmp -s usual own; then fail "the settings change nothing"; fi

json=$(awk '{ printf "%s\"%s\"", (NR > 1 ? "," : ""), $0 }' lines)
ask() { # MODEL [FIELDS]
  curl --silent --show-error --fail-with-body "$url/v1/translate" --data-binary "{\"text\": [$json], \"model\": \"$1\"${2:-}}" |
    grep -o '"score":[^,]*'
}
cat >serve.yml <<'END'
model: [en-de=model.safetensors, en-fr=model.safetensors, en-it=model.safetensors]
shortlist: en-fr=tiny
beam: [en-fr=2, en-it=6]
length_penalty: en-fr=1.5
END
serve=(--model en-de=model.safetensors --model en-fr=model.safetensors --model en-it=model.safetensors --split none
  --shortlist en-fr=tiny --beam en-fr=2 --beam en-it=6 --length-penalty en-fr=1.5)
for options in "--config serve.yml --split none" "${serve[*]}"; do
  # shellcheck disable=SC2086
  start_server "$NMT" serve $options
  ask en-de >answer && same answer usual
  ask en-fr >answer && same answer own
  # A request overrides them, and a wide beam of the model raises the limit.
  translate --shortlist tiny --beam 1 --length-penalty 1.5 >expected
  ask en-fr ', "beam": 1' >answer && same answer expected
  translate --beam 6 >expected
  ask en-it >answer && same answer expected
  kill -TERM $server
  exits 0 wait $server
done

# Errors are reported before anything is opened.
serve=(nmt serve --port 0 -m en-de=model.safetensors)
refuses 2 "--beam: unknown model 'en-dd', did you mean 'en-de'\?" "${serve[@]}" --beam en-dd=4
for value in =1 'a b=1' 'x,=1'; do
  refuses 2 "--beam '$value': expected a value, or MODEL=VALUE with the name of a model" "${serve[@]}" --beam "$value"
done
refuses 2 "--beam 'en-de,fr=4': unknown model 'en-fr'" "${serve[@]}" --beam en-de,fr=4
refuses 1 "cannot read 'none,b=none': .*; give --model once for each model" nmt serve -m a=none,b=none
for name in http://a.org a.org:80 a.org/; do
  refuses 2 "--allowed-host '$name': expected a host name such as example.org" "${serve[@]}" --allowed-host "$name"
done
refuses 2 "--beam: expected a whole number from 1 to 1000, got 'wide'" "${serve[@]}" --beam en-de=wide
echo "patience: [1, en-de=x]" >wrong.yml
refuses 2 "wrong.yml:1: patience: expected a number" "${serve[@]}" --config wrong.yml
refuses 1 "cannot read 'none'" "${serve[@]}" --shortlist en-de=none
refuses 2 "model 'en-de': --beam is 4 and --beam-groups 3: the beam must be a multiple" "${serve[@]}" --quiet --beam 4 --beam-groups 3
