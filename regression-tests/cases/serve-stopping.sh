#!/usr/bin/env bash
# A server under load ends as it is asked to: every request that it has begun is answered, and a second signal ends it at
# once.
. "$(dirname "$0")/../lib.sh"
make_model
sed 's/.*/{"text": "&", "beam": 1}/' test.src | head -n 1 >request

start_server "$NMT" serve -m en-de=model.safetensors --access-log access
# Asks until nobody answers, and notes the status of each answer.
ask_again_and_again() { # NUMBER
  while curl --silent --output "answer.$1" --write-out '%{http_code}\n' "$url/v1/translate" --data-binary @request; do :; done \
    >"codes.$1"
}
clients=()
for i in {1..8}; do
  ask_again_and_again "$i" &
  clients+=($!)
done
for i in {1..8}; do
  until grep -qs 200 "codes.$i"; do
    kill -0 $server || fail "it does not serve: $(<log)"
    sleep 0.02
  done
done
kill -TERM $server
exits 0 wait $server
for client in "${clients[@]}"; do wait "$client"; done
tail -n 1 log | contains "the server has ended" || fail "the end is not in the log: $(<log)"
! grep -q "not answered" log || fail "requests were dropped: $(<log)"
equal "$(grep -c '"status":200' access)" "$(cat codes.* | grep -c 200)" "requests that were begun, and answers"
! grep -q '"status":499' access || fail "a client lost its connection: $(grep 499 access)"

# A second signal does not wait for anything.
start_server "$NMT" serve -m en-de=model.safetensors --grace 86400 --timeout 86400
for _ in {1..40}; do cat test.src; done | awk '{ printf "%s\"%s\"", (NR > 1 ? "," : "{\"text\": ["), $0 }
  END { print "], \"beam\": 64, \"min_length\": 1000, \"max_length_extra\": 1000}" }' >endless
curl --silent --output none "$url/v1/translate" --data-binary @endless &
client=$!
until curl --silent "$url/metrics" | contains '^nmt_sentences_under_way [1-9]'; do
  kill -0 $client || fail "the long request was answered"
  sleep 0.02
done
kill -TERM $server
until grep -q "SIGTERM: the server is ending" log; do
  kill -0 $server || fail "it did not wait for a request: $(<log)"
  sleep 0.02
done
# A repetition within a tenth of a second does not count, because timeout(1) sends a signal twice.
while kill -TERM $server 2>/dev/null; do sleep 0.2; done
exits 143 wait $server
exits 52 wait $client
