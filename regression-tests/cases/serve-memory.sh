#!/usr/bin/env bash
# The memory of a server is linear in the size of its requests, and with the default limits at most 64 MiB.
. "$(dirname "$0")/../lib.sh"
skip_sanitized "they take memory of their own"
make_model

start_server "$NMT" serve -m en-de=model.safetensors --threads 2 --cache 10000
code() { curl --silent --output answer --write-out '%{http_code}' "$url/v1/translate" --data-binary "@$1"; }
peak() { sed -nE 's/^VmHWM:\s+([0-9]+) kB$/\1/p' "/proc/$server/status"; }
repeated() { awk -v text="$1" -v count="$2" 'BEGIN { while (count-- > 0) printf "%s", text }'; }

echo '{"text": "the ."}' >small.json
equal "$(code small.json)" 200 "a small request"
before=$(peak)

# Thousands of sentences in a small text.
echo "{\"text\": \"$(repeated 'A b. ' 4000)\"}" >sentences.json
equal "$(code sentences.json)" 200 "4,000 sentences: $(head -c 200 answer)"
holds "$(peak) < $before + 65536"

# Hundreds of phrases that apply to each sentence and are part of the keys of the cache.
phrases=$(awk 'BEGIN { for (i = 0; i < 900; ++i) printf "%s\"the phrase %d is not to be written at all\"", (i ? "," : ""), i }')
echo "{\"text\": \"$(repeated 'A b. ' 500)\", \"avoid\": [$phrases]}" >phrases.json
equal "$(code phrases.json)" 200 "900 phrases: $(head -c 200 answer)"
holds "$(peak) < $before + 65536"

# Requests that are too large are refused before they take memory, and the server continues.
echo "{\"text\": [$(repeated '"",' 400000)\"\"]}" >texts.json
echo "{\"text\": \"the .$(repeated '<x/>' 300000)\", \"markup\": true}" >tags.json
echo "{\"text\": \"$(repeated 'the ' 20000)\", \"split\": false, \"n_best\": 64, \"beam\": 64, \"token_scores\": true}" >scores.json
for large in texts tags scores; do
  equal "$(code $large.json)" 413 "$large: $(head -c 200 answer)"
  holds "$(peak) < $before + 65536"
done
equal "$(code small.json)" 200 "a small request after large ones"
kill -TERM $server
exits 0 wait $server
