#!/usr/bin/env bash
# Runs in any state become one page of bounded size, or are served on this machine while they train.
. "$(dirname "$0")/../lib.sh"
set -m # so that SIGINT is not ignored in the background
make_text
make_vocabulary
valid=(--valid-source test.src --valid-target test.tgt)
train "${valid[@]}" --best-by perplexity --steps 30 --log-every 5 --valid-every 10

nmt report run/ -o page.html >out 2>&1
[[ ! -s out ]] || fail "not silent: $(<out)"
nmt report run -o - | same - page.html
# The page has what nmt train wrote: every figure, the settings, and five lines with source and reference.
data() { # FILE: what a page shows, as JSON
  sed -n 's/.*<script type="application\/json" id="data">\(.*\)<\/script>.*/\1/p' "$1"
}
data page.html >data.json
for text in '"name":"run"' '"bleu":{"step":\[10,20,30\]' '"data_wait_percent":{"step":\[5,10,15,20,25,30\]' '"gradient_norm"' \
  '"state":"finished"' '"figure":"perplexity","step":' '"d-model":"64"' '"steps":\[10,20,30\],"lines":\[{"number":6,'; do
  grep -q "$text" data.json || fail "no $text in $(<data.json)"
done
equal "$(grep -o '"number":' data.json | wc -l)" 5 "lines shown"
grep -Fq "\"source\":\"$(sed -n 6p test.src)\",\"reference\":\"$(sed -n 6p test.tgt)\"" data.json || fail "no line 6"
nmt report run -o page.html --lines 3,50,51,3 2>log
grep -q "warning: .* has 50 lines; line 51 is left out" log || fail "no warning: $(<log)"
equal "$(data page.html | grep -o '"number":[0-9]*' | xargs)" "number:3 number:50" "lines chosen"
# The validation text may have been removed.
mv test.src moved.src
nmt report run -o page.html --lines 6 2>log
[[ ! -s log ]] || fail "complains: $(<log)"
data page.html | contains '"number":6,"reference":' || fail "no reference without the source"
mv moved.src test.src

# Several runs, one of which is being written or was killed while writing.
cp -r run other
printf 'garbage\n{"event":"train","step":31,"lo' >>other/metrics.jsonl
nmt report run other -o page.html 2>log
equal "$(<log)" "warning: 'other/metrics.jsonl': 1 line damaged, left out" "words"
data page.html | contains '"name":"run".*"name":"other"' || fail "not two runs"
# A run that has just begun has no settings and no validations.
mkdir -p begun
: >begun/metrics.jsonl
nmt report begun -o page.html

# A long run gives a small page and takes no more memory.
mkdir long
awk 'BEGIN { for (i = 1; i <= 200000; ++i)
  printf "{\"event\":\"train\",\"step\":%d,\"loss\":%.6f,\"gradient_norm\":%.6f,\"target_tokens\":%d,\"seconds\":%.3f}\n",
    i, 2 + (i * 7919 % 1000) / 1000, i == 123456 ? 99.5 : 1, i * 25, i * 0.4 }' >long/metrics.jsonl
(
  [[ -n ${NMT_SANITIZED:-} ]] || ulimit -v 300000
  nmt report long -o page.html
)
holds "$(wc -c <page.html) < 120000"
data page.html | contains '[[,]99.5[],]' || fail "the spike is lost"

# Mistakes.
refuses 2 "no page to write; give -o FILE, or --watch" nmt report run
refuses 2 "expected|at least|RUN" nmt report -o page.html
refuses 1 "'none' has no metrics.jsonl; name the directory of a run" nmt report run none -o page.html
refuses 2 "lines 'a': 'a' is not a line number; expected numbers from 1" nmt report run -o page.html --lines a
refuses 2 "'0' is not a line number" nmt report run -o page.html --lines 1,0
refuses 2 "output and --watch exclude each other" nmt report run -o page.html --watch
refuses 2 "port needs --watch" nmt report run -o page.html --port 80
refuses 2 "run/metrics.jsonl" nmt report run/ -o run/metrics.jsonl
refuses 1 "'none/page.html'" nmt report run -o none/page.html
refuses 2 "output 'page.pdf': the output is a page of HTML; choose a name that ends in .html" nmt report run -o page.pdf

# Served on 127.0.0.1, only for requests to that address or localhost.
: >log
"$NMT" report run --watch --port 0 2>log &
until grep -q "look at http://localhost:" log; do
  kill -0 $! || fail "does not serve: $(<log)"
  sleep 0.05
done
port=$(sed 's/.*localhost:\([0-9]*\).*/\1/' log)
ask() { # HEAD
  exec 3<>"/dev/tcp/127.0.0.1/$port"
  printf '%b\r\n\r\n' "$1" >&3
  cat <&3
  exec 3<&-
}
ask 'GET / HTTP/1.1\r\nHost: localhost' >answer
grep -q "^HTTP/1.1 200 OK" answer || fail "no page: $(head answer)"
grep -q "connect-src 'self'" answer || fail "the page cannot ask for more"
ask 'GET /data.json HTTP/1.1\r\nHost: localhost' | tail -n 1 >before
printf '{"event":"train","step":35,"loss":0.125}\n' >>run/metrics.jsonl
ask 'GET /data.json HTTP/1.1\r\nHost: localhost' | tail -n 1 >after
grep -q ',35\],.*,0.125\]' after || fail "not up to date: $(<after)"
! grep -q ',35\],' before || fail "too early: $(<before)"
ask 'GET / HTTP/1.1\r\nHost: evil.example' | sed -n 1p | contains 403 || fail "answers whom it should not"
ask 'GET /metrics.jsonl HTTP/1.1\r\nHost: localhost' | sed -n 1p | contains 404 || fail "serves files"
# Hundreds of unfinished requests do not block others.
for ((i = 0; i < 600; ++i)); do
  exec {idle}<>"/dev/tcp/127.0.0.1/$port"
  printf 'GET / HTTP/1.1\r\nHo' >&"$idle"
done
SECONDS=0
ask 'GET / HTTP/1.1\r\nHost: localhost' | sed -n 1p | contains 200 || fail "no answer behind idle ones"
holds "$SECONDS < 30"
mv run/metrics.jsonl away
ask 'GET / HTTP/1.1\r\nHost: localhost' | contains "cannot read 'run/metrics.jsonl'" || fail "does not tell what is gone"
mv away run/metrics.jsonl
refuses 1 "cannot listen on port $port of 127.0.0.1: .* choose another with --port" nmt report run --watch --port "$port"
kill -INT %1
exits 130 wait %1
equal "$(wc -l <log)" 1 "lines on stderr of: $(<log)"
