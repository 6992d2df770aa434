#!/usr/bin/env bash
# The manifest for Kubernetes starts the server with options that it has, and asks it for paths and metrics that it has.
. "$(dirname "$0")/../lib.sh"
make_model
manifests=$(cd "$(dirname "$0")/../../examples/kubernetes" && pwd)

# The list of arguments, which the manifest spreads over lines.
arguments=$(tr '\n' ' ' <"$manifests/nmt.yaml" | sed 's/.* args: \[\([^]]*\)\].*/\1/; s/"//g; s/, */ /g')
contains -e "--model en-de=/models/en-de.safetensors" <<<"$arguments" || fail "no model in the arguments: $arguments"
contains -e "--port 8080" <<<"$arguments" || fail "no port in the arguments: $arguments"
# start_server takes any free port.
read -ra words <<<"$(sed 's/--port 8080//; s|/models/en-de.safetensors|model.safetensors|' <<<"$arguments")"
start_server "$NMT" serve "${words[@]}"

paths=$(sed -n 's/.*httpGet: {path: \([^,]*\),.*/\1/p; s/.*prometheus.io\/path: *//p' "$manifests/nmt.yaml")
equal "$(wc -l <<<"$paths")" 4 "probes and the path of metrics"
for path in $paths; do
  equal "$(curl --silent --output answer --write-out '%{http_code}' "$url$path")" 200 "the status of $path"
done
metric=$(sed -n 's/.*metric: {name: \([^}]*\)}.*/\1/p' "$manifests/autoscaling.yaml")
curl --silent "$url/metrics" | contains "^$metric [0-9]" || fail "the server has no metric '$metric'"
# By the name of the service, as the pods of other programs ask.
curl --silent --header 'Host: nmt:8080' "$url/v1/translate" -d '{"text": "'"$(head -n 1 test.src)"'"}' | contains '"text"' ||
  fail "the server refuses the name of its service"
