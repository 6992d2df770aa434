#!/usr/bin/env bash
# A line that is too long is cut; where it may not be, it does not take the others with it. None keeps a signal waiting.
. "$(dirname "$0")/../lib.sh"
set -m # so that SIGINT is not ignored in the background
make_model
limit=600000 # KiB of address space; to search with 400,000 tokens takes twice as much
(ulimit -v $limit && nmt --version) >version 2>&1 || skip "the program cannot start in little address space: $(<version)"

words() { # COUNT: in one line
  awk -v count="$1" 'BEGIN { for (i = 0; i < count; ++i) printf "%sthe", i ? " " : ""; print "" }'
}
limited() { (ulimit -v $limit && "$NMT" "$@"); }
translate() { limited translate -m model.safetensors --max-length 1000000 --quiet "$@"; }

# What comes before the line is out, and the line is named; one that is not read yet is no matter.
{ head -n 3 test.src && words 400000 && tail -n 2 test.src && words 5000; } >long.src
nmt translate -m model.safetensors --quiet <test.src | head -n 3 >expected
for threads in 1 2; do
  exits 1 translate --threads $threads -i long.src >translated 2>error
  same translated expected
  equal "$(<error)" \
    "error: 'long.src', line 4: its 400000 tokens take more memory than there is; shorten or split it"
done
exits 1 translate --flush <long.src >translated 2>error
same translated expected
grep -q "^error: 'standard input', line 4: its 400000 tokens" error || fail "got: $(<error)"
exits 1 translate -i long.src -o file >translated 2>error
if compgen -G 'file*'; then fail "left a file that is not complete"; fi
# To score takes weights of attention for each two tokens.
score() { limited score -m model.safetensors --quiet "$@"; }
{ head -n 3 test.src && words 12000 && tail -n 2 test.src; } >pairs.src
nmt score -m model.safetensors --quiet --source test.src --target test.src | head -n 3 >expected
exits 1 score --max-length 100000 --threads 1 --source pairs.src --target pairs.src >scored 2>error
same scored expected
equal "$(<error)" \
  "error: line 4: its 12000 and 12000 tokens take more memory than there is; shorten or drop the pair"

# Nobody has to know of that: what is long is cut, and one line tells.
{ head -n 3 test.src && words 1024 && tail -n 2 test.src && words 1024; } >short.src
limited translate -m model.safetensors -i short.src --quiet >expected
for threads in 1 2; do
  limited translate -m model.safetensors -i long.src --threads $threads >translated 2>log
  same translated expected
  equal "$(grep warning log)" \
    "warning: 2 lines cut to the first 1024 tokens, beginning with line 4, which has 400000; --max-length takes more"
done
{ head -n 3 test.src && words 1024 && tail -n 2 test.src; } >short.src
nmt score -m model.safetensors --source pairs.src --target pairs.src --quiet >scored 2>log
same scored <(nmt score -m model.safetensors --source short.src --target short.src --quiet)
grep -q "^warning: 1 line cut to the first 1024 tokens" log || fail "got: $(<log)"

# So is what comes before a line that cannot be read.
{ cat test.src test.src && head -c 70000000 /dev/zero | tr '\0' x; } | gzip -1 >endless.gz
exits 1 nmt translate -m model.safetensors --quiet -i endless.gz >translated 2>error
equal "$(wc -l <translated)" 100 "lines before one that is no text"
grep -q "^error: 'endless.gz', line 101: longer than" error || fail "got: $(<error)"

# A validation takes them, too.
training=(train "${small[@]}" --vocab words.spm --source train.src --target train.tgt --steps 20 --save-every 0)
long=("${training[@]}" --valid-source long.src --valid-target long.src -o long-run)
limited "${long[@]}" 2>log
grep -q "^warning: 2 lines cut to the first 1024 tokens" log || fail "got: $(<log)"

# Signals are answered soon, in the midst of such a line too.
words 12000 >slow.src
answers() { # SIGNAL PID
  kill -"$1" "$2"
  for _ in {1..200}; do
    kill -0 "$2" 2>/dev/null || return 0
    sleep 0.05
  done
  kill -KILL "$2"
  fail "$1 is not answered in ten seconds"
}
for signal in INT:130 TERM:143 HUP:129; do
  "$NMT" translate -m model.safetensors --max-length 1000000 --threads 2 -i slow.src -o file --quiet &
  worker=$!
  until compgen -G 'file.*.tmp' >partial; do sleep 0.05; done
  sleep 0.5
  answers "${signal%:*}" $worker
  exits "${signal#*:}" wait $worker
  if compgen -G 'file*'; then fail "$signal leaves a file"; fi
done

# So they are in a validation, which begins again when training goes on.
{ cat test.src && for _ in {1..600}; do words 1024; done; } >valid.src
# Whether it has come so far: with the state behind the last update, or at once where that is there from before.
validates() {
  if ! grep -q "^planned: " log || ! grep -q '"step":20,' slow-run/metrics.jsonl; then return 1; fi
  grep -q "going on at step 20$" log || [[ slow-run/state/training.safetensors -nt slow-run/metrics.jsonl ]]
} 2>/dev/null
slow=("${training[@]}" --valid-source valid.src --valid-target valid.src --log-every 1 -o slow-run)
for signal in INT:130 TERM:143 HUP:129; do
  "$NMT" "${slow[@]}" 2>log &
  worker=$!
  until validates; do sleep 0.05; done
  sleep 1
  answers "${signal%:*}" $worker
  exits "${signal#*:}" wait $worker
  grep -q "^stopping in a validation" log || fail "says nothing of what happens: $(<log)"
done
nmt "${slow[@]}" --valid-beam 0 2>log
grep -q "going on at step 20$" log || fail "updates were lost: $(<log)"
equal "$(grep -c '"event":"valid"' slow-run/metrics.jsonl)" 1 "validations"
