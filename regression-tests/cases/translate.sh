#!/usr/bin/env bash
# A line in is a line out, whatever stands beside it and however it comes.
. "$(dirname "$0")/../lib.sh"
make_model

translate() { nmt translate -m model.safetensors --quiet "$@"; }

# The order of the input is kept, and empty lines stay where they are.
translate <test.src >test.out
equal "$(wc -l <test.out)" 50 "lines"
{ sed -n 7p test.src && echo && sed -n 3p test.src && echo; } >mixed
{ sed -n 7p test.out && echo && sed -n 3p test.out && echo; } >expected
translate <mixed >mixed.out
same mixed.out expected
translate </dev/null >nothing
[[ ! -s nothing ]] || fail "translated nothing into something"

# No line sees its neighbours.
translate --batch-tokens 1 <test.src >one.out
same test.out one.out
translate --batch-tokens 100000 <test.src >many.out
same test.out many.out
tac test.src | translate | tac >reversed.out
same test.out reversed.out
printf %s "$(<test.src)" | translate >unended.out
same test.out unended.out

# A wider beam may change translations, scores in front never do.
translate --beam 1 <test.src >greedy.out
translate --beam 4 <test.src >beam.out
same test.out beam.out
for beam in 1 4; do
  translate --beam $beam --scores <test.src >scored.out
  [[ $(grep -Ecv $'^-?[0-9]+\\.[0-9]{6}\t' scored.out) == 0 ]] || fail "scores look otherwise: $(head -n 1 scored.out)"
  cut -f 2- scored.out >texts
  same texts "$([[ $beam == 1 ]] && echo greedy.out || echo beam.out)"
done

# Length limits hold.
translate --max-length-factor 0 --max-length-extra 2 --beam 1 <test.src | awk 'NF > 2 { exit 1 }' ||
  fail "longer than the limit"

# Bytes that are no UTF-8 are counted in a warning.
printf 'the qes ned \xff ves .\n' | nmt translate -m model.safetensors >bad.out 2>bad.err
equal "$(wc -l <bad.out)" 1 "lines"
grep -q '^warning: .*UTF-8' bad.err || fail "no warning of invalid bytes: $(<bad.err)"

# Nobody reads, or nothing can be written.
status=0
translate <test.src 2>closed.err | true || status=${PIPESTATUS[0]}
((status == 1 || status == 141)) || fail "exit code $status when nobody reads"
(($(wc -l <closed.err) <= 1)) || fail "many words about a closed pipe: $(<closed.err)"
exits 1 translate <test.src >/dev/full 2>full.err
equal "$(wc -l <full.err)" 1 "lines on stderr about a full disk"
grep -q '^error: cannot write' full.err || fail "about a full disk: $(<full.err)"

refuses 1 "missing" nmt translate -m missing <test.src
refuses 2 "beam" nmt translate -m model.safetensors --beam 0 <test.src
refuses 2 "did you mean '--beam'" nmt translate -m model.safetensors --baem 4 <test.src
refuses 2 "model" nmt translate <test.src

# A model that is missing is told before anybody types.
mkfifo typing
exec 3<>typing
refuses 1 "missing" timeout 60 "$NMT" translate -m missing <&3
