#!/usr/bin/env bash
# A server answers requests for DeepL and OpenAI with the output of nmt translate, and with their errors.
. "$(dirname "$0")/../lib.sh"
for program in python3 curl; do command -v "$program" >/dev/null || skip "no $program"; done
make_model
head -n 5 test.src >lines
nmt translate -m model.safetensors --quiet <lines >expected
first=$(head -n 1 lines)
printf %s secret | sha256sum | sed 's/-$/client characters=3000/' >keys
start_server "$NMT" serve -m en-de=model.safetensors --api-keys keys --access-log access --glossaries glossaries

ask() { curl --silent --show-error "$@"; }
deepl() { ask -H 'Authorization: DeepL-Auth-Key secret' "$@"; }
openai() { ask -H 'Authorization: Bearer secret' "$@"; }
code() { ask --output /dev/null --write-out '%{http_code}' "$@"; }
# Prints what a Python expression makes of the JSON `answer`.
of_json() { python3 -c 'import json, sys; answer = json.load(sys.stdin); print(eval(sys.argv[1]))' "$1"; }

# Each line is a text, in JSON and in a form.
python3 - >request.json <<'END'
import json
print(json.dumps({"text": open("lines").read().splitlines(), "source_lang": "EN", "target_lang": "DE"}))
END
deepl "$url/v2/translate" -H 'Content-Type: application/json' --data-binary @request.json |
  of_json '"\n".join(each["text"] for each in answer["translations"])' >answer
same answer expected
deepl "$url/v2/translate" --data-urlencode "text=$first" -d target_lang=de |
  of_json 'answer["translations"][0]["text"]' >answer
same answer <(head -n 1 expected)
equal "$(deepl "$url/v2/languages?type=target" | of_json 'answer[0]["language"]')" DE "target languages"
equal "$(deepl "$url/v2/usage" | of_json '0 < answer["character_count"] < answer["character_limit"]')" True "usage"

# Errors have DeepL's status and form.
equal "$(code "$url/v2/usage")" 403 "without a key"
equal "$(code "$url/v2/usage" -H 'Authorization: DeepL-Auth-Key public')" 403 "with another key"
equal "$(deepl "$url/v2/translate" -d text=a -d target_lang=xx)" \
  "{\"message\":\"Value for 'target_lang' not supported.\"}" "an unknown language"
equal "$(deepl "$url/v2/nothing")" '{"message":"unknown path /v2/nothing"}' "an unknown path"

# Glossaries are stored, used, and removed.
word=$(cut -d ' ' -f 1 <<<"$first")
term=$(tail -n 1 expected | cut -d ' ' -f 1)
deepl "$url/v2/glossaries" -d name=terms -d source_lang=en -d target_lang=de -d entries_format=tsv \
  --data-urlencode "entries=$word	$term" >glossary
id=$(of_json 'answer["glossary_id"]' <glossary)
equal "$(deepl "$url/v2/glossaries/$id/entries")" "$word	$term" "entries"
deepl "$url/v2/translate" --data-urlencode "text=$first" -d source_lang=en -d target_lang=de -d "glossary_id=$id" |
  of_json 'answer["translations"][0]["text"]' >answer
grep -qw "$term" answer || fail "without '$term': $(<answer)"
equal "$(deepl --output /dev/null --write-out '%{http_code}' -X DELETE "$url/v3/glossaries/$id")" 204 "removal"
equal "$(deepl "$url/v3/glossaries")" '{"glossaries":[]}' "glossaries"

# A chat is a translation, whole or sentence by sentence.
python3 - "$first" >request.json <<'END'
import json, sys
print(json.dumps({"model": "en-de", "messages": [{"role": "user", "content": sys.argv[1]}]}))
END
openai "$url/v1/chat/completions" --data-binary @request.json | of_json 'answer["choices"][0]["message"]["content"]' >answer
same answer <(head -n 1 expected)
sed 's/^{/{"stream": true, /' request.json | openai --no-buffer "$url/v1/chat/completions" --data-binary @- >events
equal "$(grep -c '^data: ' events) $(grep . events | tail -n 1)" "3 data: [DONE]" "events: $(<events)"
sed -n '1s/^data: //p' events | of_json 'answer["choices"][0]["delta"]["content"]' >answer
same answer <(head -n 1 expected)
equal "$(openai "$url/v1/chat/completions" -d '{"model": "gpt", "messages": [{"role": "user", "content": "a"}]}' |
  of_json 'answer["error"]["type"]')" invalid_request_error "an unknown model"

for interface in deepl openai; do
  grep -q "\"interface\":\"$interface\",\"status\":200,.*\"key\":\"client\"" access || fail "access log: $(<access)"
done
if grep -qF "$first" access; then fail "a text is in the log"; fi
