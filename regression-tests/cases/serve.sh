#!/usr/bin/env bash
# All interfaces of a server give the output of nmt translate, and the server ends as requested.
. "$(dirname "$0")/../lib.sh"
make_model
head -n 20 test.src >lines
nmt translate -m model.safetensors --quiet <lines >expected

start() { start_server "$NMT" serve -m en-de=model.safetensors "$@"; } # OPTIONS...
ask() { curl --silent --show-error --fail-with-body "$@"; }
# Extracts the strings after this name from a JSON text, one per line.
texts() { grep -o "\"$1\":\"[^\"]*\"" | sed 's/^[^:]*:"//; s/"$//'; }
json_of_lines() { awk '{ printf "%s\"%s\"", (NR > 1 ? "," : ""), $0 }' "$1"; }

# Errors are reported before anything is opened.
refuses 2 "host 0.0.0.0: .* give --api-keys, or --open" nmt serve -m model.safetensors --host 0.0.0.0
refuses 2 "'nowhere' is not an address" nmt serve -m model.safetensors --host nowhere --open
refuses 2 "the model has no language tokens, so it serves only one pair" nmt serve -m en,de=model.safetensors --port 0
refuses 2 "two models are called 'a'" nmt serve -m a=model.safetensors -m a=model.safetensors --port 0
refuses 1 "'none'" nmt serve -m none
echo "no key" >keys
refuses 1 "'keys', line 1: expected the SHA-256 of a key" nmt serve -m model.safetensors --api-keys keys

start --access-log access --max-characters 1000000
refuses 1 "cannot listen on port ${url##*:} of 127.0.0.1: .* choose another with --port" \
  nmt serve -m model.safetensors --port "${url##*:}"

# Every interface gives the output of nmt translate.
request="{\"q\": [$(json_of_lines lines)], \"source\": \"en\", \"target\": \"de\"}"
ask "$url/translate" -H 'Content-Type: application/json' --data-binary "$request" >answer
grep -q "^{\"translatedText\":\[$(json_of_lines expected)\]}$" answer || fail "LibreTranslate's: $(<answer)"
ask "$url/translate" --data-urlencode "q=$(head -n 1 lines)" -d source=en -d target=de >answer
equal "$(<answer)" "{\"translatedText\":\"$(head -n 1 expected)\"}" "of a form"
ask "$url/v1/translate" -H 'Content-Type: application/json' --data-binary "{\"text\": [$(json_of_lines lines)]}" | texts text >answer
same answer expected
nmt translate -m model.safetensors --quiet --n-best 3 <lines | sed -n 's/^0 ||| \(.*\) ||| .*/\1/p' >best
ask "$url/v1/translate" -H 'Content-Type: application/json' --data-binary "{\"text\": \"$(head -n 1 lines)\", \"n_best\": 3, \"split\": false}" | texts text |
  tail -n 3 >answer
same answer best
ask "$url/translator/translate" -H 'Content-Type: application/json' --data-binary "[$(awk '{ printf "%s{\"src\":\"%s\"}", (NR > 1 ? "," : ""), $0 }' lines)]" |
  texts tgt >answer
same answer expected

# Twenty concurrent clients each get their own answer.
for i in {1..20}; do
  line=$(sed -n "${i}p" lines)
  ask "$url/translate" -H 'Content-Type: application/json' --data-binary "{\"q\": \"$line\", \"source\": \"en\", \"target\": \"de\"}" >"answer.$i" &
  asking[i]=$!
done
for i in {1..20}; do
  wait "${asking[i]}"
  equal "$(<"answer.$i")" "{\"translatedText\":\"$(sed -n "${i}p" expected)\"}" "client $i"
done

# Streaming sends each sentence when it is done, and finally the whole answer.
head -n 3 lines | sed 's/$/./' >sentences
nmt translate -m model.safetensors --quiet <sentences >expected.sentences
ask --no-buffer "$url/v1/translate" --data-binary "{\"text\": [$(json_of_lines sentences)], \"stream\": true}" >events
equal "$(grep -c '^event: sentence$' events) $(tail -n 3 events | sed -n 1p)" "3 event: done" "events"
grep -A 1 '^event: sentence$' events | texts text >answer
same answer expected.sentences

# Errors have a status and a message.
equal "$(curl --silent "$url/translate" -H 'Content-Type: application/json' --data-binary '{"q": "a", "source": "en", "target": "xx"}')" \
  '{"error":"no model translates from en to xx; /languages lists the pairs"}' "an error"
equal "$(curl --silent --output /dev/null --write-out '%{http_code}' "$url/languages" -H 'Host: evil.example')" 403 "host"
head -c 20000000 /dev/zero | tr '\0' a >large
equal "$(curl --silent --output /dev/null --write-out '%{http_code}' "$url/translate" --data-binary @large)" 413 "size"
ask "$url/metrics" >metrics
grep -q '^nmt_requests_total{interface="libretranslate",status="200"} 22$' metrics || fail "metrics: $(<metrics)"
# The dashboard shows all metrics, and only existing ones.
grep -oE '(nmt|process)_[a-z_]+' "$(dirname "$0")/../../examples/serve/grafana.json" | sort -u >shown
sed -n 's/^\([a-z_]*\)[{ ].*/\1/p' metrics | sort -u >given
same shown given
ask "$url/openapi.json" >description
grep -q '"openapi": "3.1' description || fail "no description"

# The log has a line for each request, also for invalid bytes, and contains no text.
curl --silent --output none "$url/translate" -H 'Connection: Upgrade' -H 'Upgrade: websocket' -H 'Sec-WebSocket-Version: 8' \
  -H 'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ=='
grep -q '"method":"","path":"","interface":"none","status":426,' access || fail "no web socket in the log: $(<access)"
grep -q '"interface":"none","status":413,' access || fail "no large body in the log: $(<access)"
ask "$url/metrics" | contains '^nmt_requests_total{interface="none",status="426"} 1$' || fail "metrics of what is not a request"
grep -q '"interface":"libretranslate","status":200,.*"texts":20,' access || fail "log: $(<access)"
! grep -qF "$(head -n 1 lines)" access || fail "a text is in the log"

# A model is reloaded while the server answers requests.
kill -HUP $server
until [[ $(grep -c "'en-de' is ready" log) == 2 ]]; do
  kill -0 $server
  ask "$url/translate" -H 'Content-Type: application/json' --data-binary "$request" >/dev/null || fail "a request was dropped: $(<log)"
done

# Requests in progress are answered before the server ends.
for i in {1..200}; do cat lines; done >many
echo "{\"q\": [$(json_of_lines many)], \"source\": \"en\", \"target\": \"de\"}" >long.json
ask "$url/translate" -H 'Content-Type: application/json' --data-binary @long.json >answer &
long=$!
until ask "$url/metrics" | contains "^nmt_sentences_under_way 4000$"; do
  kill -0 $long || fail "was answered too early"
  sleep 0.01
done
kill -TERM $server
wait $long || fail "was not answered"
grep -q "$(tail -n 1 expected)\"\]}$" answer || fail "was answered in part: $(tail -c 200 answer)"
exits 0 wait $server
grep -q "SIGTERM: the server is ending" log || fail "the signal is not in the log: $(<log)"
tail -n 1 log | contains "the server has ended" || fail "the end is not in the log: $(<log)"

# Access by keys.
printf %s secret | sha256sum >keys
start --api-keys keys --host 0.0.0.0
url=${url/0.0.0.0/127.0.0.1}
code() { curl --silent --output /dev/null --write-out '%{http_code}' "$@"; }
equal "$(code "$url/v1/models")" 401 "without a key"
equal "$(code "$url/v1/models" -H 'Authorization: Bearer public')" 403 "with another key"
equal "$(code "$url/v1/models" -H 'Authorization: Bearer secret')" 200 "with a key"
printf '%s\r\n' "$(printf %s other | sha256sum | sed 's/-$/another client/')" >keys
kill -HUP $server
until grep -q "'keys' was reloaded: 1 key$" log; do
  kill -0 $server || fail "SIGHUP ended it: $(<log)"
  sleep 0.05
done
equal "$(code "$url/v1/models" -H 'Authorization: Bearer secret')" 403 "with a key that is gone"
equal "$(code "$url/v1/models" -H 'Authorization: Bearer other')" 200 "with a new key"
sed 's/another client/requests=60 another client/' keys >wrong
refuses 1 "'wrong', line 1: 'another' comes after 'requests=60'" nmt serve -m model.safetensors --api-keys wrong --port 0
kill -TERM $server
exits 0 wait $server

# The server accepts the given number of connections, whatever the soft limit on open files.
soft=$(ulimit -Sn)
ulimit -Sn 64
start --connections 200
ulimit -Sn "$soft"
connections=()
for i in {1..199}; do
  exec {connection}<>"/dev/tcp/127.0.0.1/${url##*:}"
  connections+=("$connection")
done
ask "$url/metrics" >metrics
grep -q '^nmt_connections 200$' metrics || fail "connections: $(grep connections metrics)"
for connection in "${connections[@]}"; do exec {connection}>&-; done
kill -TERM $server
exits 0 wait $server
