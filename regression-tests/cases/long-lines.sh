#!/usr/bin/env bash
# A line that is too long is translated in parts, truncated or refused, without affecting other lines or delaying
# signals.
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

# Earlier lines are printed, and the error names the line. Lines that are not read yet do not matter.
{ head -n 3 test.src && words 400000 && tail -n 2 test.src && words 5000; } >long.src
head -n 3 test.src | nmt translate -m model.safetensors --quiet >expected
lacks_memory() { # FILE: reports that line 4 takes too much memory, whether to encode or to search
  grep -qE "^error: '$1', line 4: (its 400000 tokens take|it takes) more memory than there is; shorten or split it" error ||
    fail "got: $(<error)"
}
for threads in 1 2 4; do
  exits 1 translate --threads $threads -i long.src >translated 2>error
  same translated expected
  lacks_memory long.src
  equal "$(wc -l <error)" 1 "lines of the message"
done
exits 1 translate --flush <long.src >translated 2>error
same translated expected
lacks_memory 'standard input'
exits 1 translate -i long.src -o file >translated 2>error
same file.partial expected
grep -q "shorten or split it; what was done before is in 'file.partial'$" error || fail "got: $(<error)"
rm file.partial
# Scoring needs an attention weight for every pair of tokens.
score() { limited score -m model.safetensors --quiet "$@"; }
{ head -n 3 test.src && words 12000 && tail -n 2 test.src; } >pairs.src
nmt score -m model.safetensors --quiet --source test.src --target test.src | sed -n 1,3p >expected
exits 1 score --max-length 100000 --threads 1 --source pairs.src --target pairs.src >scored 2>error
same scored expected
equal "$(<error)" \
  "error: line 4: its 12000 and 12000 tokens take more memory than there is; shorten or drop the pair"

# By default a long line is translated in parts. Here each part is a sentence, which ends near the middle of the line.
paste train.src train.tgt | awk -F '\t' 'NR % 2 { first = $1; next }
  { both = first " " $1; words = split(both, all, " "); part = length(first) / length(both)
    if (words > 13 && words < 21 && part > 0.43 && part < 0.57) { print both >"both.src"; print first >"first.src"; print $1 >"second.src" } }'
holds "$(wc -l <both.src) > 20"
for part in first second; do nmt translate -m model.safetensors -i $part.src --quiet >$part.out; done
nmt translate -m model.safetensors -i both.src --max-length 13 >translated 2>log
if grep warning log; then fail "something is left out"; fi
same translated <(paste -d ' ' first.out second.out)
sed 's/.*/{"text": "&"}/' both.src |
  nmt translate -m model.safetensors --max-length 13 --input-format jsonl --output-format jsonl --quiet >json
same <(sed -E 's/^\{"text":"([^"]*)".*/\1/' json) translated
nmt translate -m model.safetensors -i both.src --max-length 13 --n-best 2 --quiet | awk -F ' [|][|][|] ' '!seen[$1]++ { print $2 }' >best
same best translated
{ awk '{ printf "%s%s", (NR > 1 ? " " : ""), $0 } END { print "" }' train.src && head -n 3 test.src; } >joined.src
nmt translate -m model.safetensors -i joined.src >translated 2>log
if grep warning log; then fail "something is left out"; fi
grep -q "^4 lines, $(cat joined.src | wc -w) source" log || fail "not all of it is translated: $(<log)"
head -n 3 test.src | nmt translate -m model.safetensors --quiet >expected
same <(tail -n 3 translated) expected

# Without --max-length, parts have at most the length of training sentences, unless the line must be translated as a
# whole.
train --steps 150 --max-length 13 -o short-run
short="short-run/last.safetensors"
nmt info $short >facts
grep -qE '^ +max length +13$' facts || fail "info: $(<facts)"
nmt translate -m $short -i both.src --max-length 13 --quiet >expected
nmt translate -m $short -i both.src --quiet >translated
same translated expected
nmt translate -m $short -i both.src --max-length 1024 --quiet >whole
if cmp -s translated whole; then fail "no line is divided"; fi
nmt translate -m $short -i both.src --too-long truncate >translated 2>log
same translated whole
if grep warning log; then fail "a line of less than 1024 tokens is truncated"; fi
nmt translate -m $short -m model.safetensors -i both.src --quiet >translated
nmt translate -m $short -m model.safetensors -i both.src --max-length 13 --quiet >expected
same translated expected
nmt convert -m $short -o half.safetensors --precision f16 --quiet # keeps what it was trained with
nmt translate -m half.safetensors -i both.src --quiet >translated
nmt translate -m half.safetensors -i both.src --max-length 13 --quiet >expected
same translated expected

# Settings for the whole line truncate it, with a warning.
for options in '--alignment hard' '--too-long truncate' '--constraints /dev/stdin'; do
  # shellcheck disable=SC2086
  printf 'la\n\n\n\n' | nmt translate -m model.safetensors -i joined.src --output-format jsonl $options >json 2>log
  grep -q "^warning: 1 line truncated to the first 1024 tokens, beginning with line 1," log || fail "got: $(<log)"
  equal "$(grep -c '"truncated":true' json)" 1 "truncated lines with $options"
done
refuses 1 "'joined.src', line 1: it has [0-9]+ tokens, but the limit is 1024 tokens; shorten it, or set --too-long to split" \
  nmt translate -m model.safetensors -i joined.src --too-long refuse --quiet
nmt translate -m model.safetensors -i joined.src --too-long refuse --output-format jsonl --quiet >json
equal "$(grep -c '"error":"it has ' json)" 1 "refused lines"

# --too-long truncate shortens long lines, and one warning reports it.
{ head -n 3 test.src && words 1024 && tail -n 2 test.src && words 1024; } >short.src
limited translate -m model.safetensors -i short.src --max-length 1024 --quiet >expected
for threads in 1 2; do
  limited translate -m model.safetensors -i long.src --threads $threads --too-long truncate >translated 2>log
  same translated expected
  equal "$(grep warning log)" \
    "warning: 2 lines truncated to the first 1024 tokens, beginning with line 4, which has more than 256 KiB; --max-length takes more"
done
{ head -n 3 test.src && words 5000; } | nmt translate -m model.safetensors --too-long truncate >translated 2>log
same translated <(head -n 4 expected)
grep -q "^warning: 1 line truncated to the first 1024 tokens, beginning with line 4, which has 5000;" log || fail "got: $(<log)"
{ head -n 3 test.src && words 1024 && tail -n 2 test.src; } >short.src
nmt score -m model.safetensors --source pairs.src --target pairs.src --quiet >scored 2>log
same scored <(nmt score -m model.safetensors --source short.src --target short.src --quiet)
grep -q "^warning: 1 line truncated to the first 1024 tokens" log || fail "got: $(<log)"

# A line of any size takes little memory in every command, because only the part that can count is read.
text() { head -c 100000000 /dev/zero | tr '\0' "$1"; } # LETTER: a line of 100 MB, without an end
{ head -n 2 test.src && text x && echo && tail -n 2 test.src; } | gzip -1 >huge.gz
{ head -n 2 test.src && echo x && tail -n 2 test.src; } >few.src
limited translate -m model.safetensors -i huge.gz --threads 2 --too-long truncate >translated 2>log
same translated <(nmt translate -m model.safetensors --quiet -i few.src)
grep -q "^warning: 1 line truncated to the first 1024 tokens, beginning with line 3, which has more than 256 KiB;" log ||
  fail "got: $(<log)"
refuses 1 "'huge.gz', line 3: longer than 64 MiB" \
  nmt translate -m model.safetensors -i huge.gz -o whole --quiet
translated=(--source huge.gz --target huge.gz)
score "${translated[@]}" >scored
same scored <(nmt score -m model.safetensors --source few.src --target few.src --quiet)
score "${translated[@]}" --alignment hard | cut -d ' ' -f 1 | cmp - scored
limited batch "${translated[@]}" --vocab words.spm --no-drop-identical -o huge.nmtc --threads 2 --quiet
nmt batch huge.nmtc | contains "^dropped: 1 longer than 256 tokens$" || fail "says: $(nmt batch huge.nmtc)"
{ head -n 2 test.src && text x | head -c 60000000; } >large.src || true # tr is not heard to the end
limited vocab -i large.src --sample-bytes 1000000 -o large.spm --type char --size 15 --threads 1 --quiet
refuses 1 "'large.src', line 3: longer than 4 MiB" limited bleu large.src -i large.src -m chrf
head -c 4000000 large.src >long.tgt
equal "$(limited bleu long.tgt -i long.tgt -m chrf,bleu -b | tr -d ' \n')" "[100.0,100.0]" "scores of a long line"

# If the input breaks off, earlier translations are printed, or kept in a file that the message names.
{ cat test.src test.src && text x; } | gzip -1 | head -c -100 >cut.gz
nmt translate -m model.safetensors --quiet -i <(cat test.src test.src) >expected
exits 1 nmt translate -m model.safetensors --quiet --too-long truncate -i cut.gz >translated 2>error
same translated expected
grep -q "^error: 'cut.gz' is truncated: " error || fail "got: $(<error)"
for ending in '' .gz:gzip .xz:xz .zst:zstd; do
  name=out.partial${ending%:*}
  for number in '' -2; do # nothing that is there is overwritten
    refuses 1 "'cut.gz' is truncated: .*; what was done before is in 'out.partial$number${ending%:*}'$" \
      nmt translate -m model.safetensors --quiet --too-long truncate -i cut.gz -o "out${ending%:*}"
  done
  if [[ $ending ]]; then "${ending#*:}" -dc <"$name" >unpacked; else cp "$name" unpacked; fi
  same unpacked expected
  [[ ! -e out${ending%:*} ]] || fail "what is not complete has the name of what is"
done

# Validations truncate long lines as well.
training=(train "${small[@]}" --vocab words.spm --source train.src --target train.tgt --steps 20 --save-every 0)
long=("${training[@]}" --valid-source long.src --valid-target long.src -o long-run)
limited "${long[@]}" 2>log
grep -q "^warning: 2 lines truncated to the first 1024 tokens" log || fail "got: $(<log)"

# Signals are answered soon, even during such a line, and earlier lines are kept.
{ head -n 3 test.src && head -c 8189 /dev/zero | tr '\0' '\n'; } >fast.src
nmt translate -m model.safetensors --quiet -i fast.src >expected
{ cat fast.src && words 60000; } >slow.src # a line that takes minutes, so that a signal comes in the midst of it
answers() { # SIGNAL PID
  kill -"$1" "$2" || fail "it ended before $1 came: $(<log)"
  for _ in {1..200}; do
    kill -0 "$2" 2>/dev/null || return 0
    sleep 0.05
  done
  kill -KILL "$2" || true # it may have ended just now
  fail "$1 is not answered in ten seconds"
}
for signal in INT:130 TERM:143 HUP:129; do
  "$NMT" translate -m model.safetensors --max-length 1000000 --threads 2 -i slow.src -o file --quiet 2>log &
  worker=$!
  until [[ -s $(compgen -G 'file.*.tmp') ]]; do sleep 0.05; done
  sleep 0.5
  answers "${signal%:*}" $worker
  exits "${signal#*:}" wait $worker
  same file.partial expected
  equal "$(<log)" "warning: ended by a signal; what was done before is in 'file.partial'" "words about $signal"
  rm file.partial
  if compgen -G 'file*'; then fail "$signal leaves a file"; fi
done

# Signals are answered during a validation as well, which is repeated when training continues.
{ cat test.src && for _ in {1..1500}; do words 1024; done; } >valid.src
# Checks that the run is in its validation: the state of the last update is saved, at once or already before.
validates() {
  if ! grep -q "^planned: " log || ! grep -q '"step":20,' slow-run/metrics.jsonl; then return 1; fi
  grep -q "continuing at step 20$" log || [[ slow-run/state/training.safetensors -nt slow-run/metrics.jsonl ]]
} 2>/dev/null
slow=("${training[@]}" --valid-source valid.src --valid-target valid.src --log-every 1 -o slow-run)
for signal in INT:130 TERM:143 HUP:129; do
  rm -f log # lest that of the run before is read
  "$NMT" "${slow[@]}" 2>log &
  worker=$!
  until validates; do sleep 0.05; done
  sleep 1
  answers "${signal%:*}" $worker
  exits "${signal#*:}" wait $worker
  grep -q "^stopping in a validation" log || fail "says nothing of what happens: $(<log)"
done
nmt "${slow[@]}" --valid-beam 0 --best-by perplexity 2>log
grep -q "continuing at step 20$" log || fail "updates were lost: $(<log)"
equal "$(grep -c '"event":"valid"' slow-run/metrics.jsonl)" 1 "validations"
