# Helpers of the cases. A case runs in an empty folder of its own, with NMT naming the program; it exits 0 when it
# passes, 77 when it is skipped, and otherwise when it fails.
# shellcheck shell=bash
set -euo pipefail
. "${BASH_SOURCE[0]%/*}/../examples/overriding.sh"
export CUDA_VISIBLE_DEVICES='' # cases are about the CPU, unless they say something else

nmt() { "$NMT" "$@"; }

fail() {
  echo "FAILED at line ${BASH_LINENO[-2]}: $*" >&2
  exit 1
}

skip() {
  echo "$*"
  exit 77
}

# Skips a case that a sanitizer makes impossible.
skip_sanitized() { # WHY
  [[ -z ${NMT_SANITIZED:-} ]] || skip "not with sanitizers: $1"
}

# Checks that two texts are equal.
equal() { # ACTUAL EXPECTED [WHAT]
  [[ $1 == "$2" ]] || fail "${3:-got another text}: '$1', expected '$2'"
}

# Checks that two files have the same bytes.
same() { # FILE FILE
  cmp "$1" "$2" || fail "$1 and $2 differ"
}

# Whether a line of standard input matches. All input is read, so that the writer never gets SIGPIPE, which `grep -q`
# after a pipe causes when it ends at the first match.
contains() { # [OPTION of grep...] PATTERN
  local text
  text=$(cat)
  grep -q "$@" <<<"$text"
}

# Checks that an awk condition on numbers holds.
holds() { # CONDITION, for instance "34.2 > 30"
  awk "BEGIN { exit !($1) }" || fail "not so: $1"
}

# Checks that a command exits with CODE.
exits() { # CODE COMMAND...
  local status=0
  "${@:2}" || status=$?
  equal "$status" "$1" "exit code of: ${*:2}"
}

# Checks that a command fails with CODE, prints nothing to standard output, and prints one line to standard error:
# "error: " and a text that the extended regular expression PATTERN matches.
refuses() { # CODE PATTERN COMMAND...
  exits "$1" "${@:3}" >refused.out 2>refused.err
  [[ ! -s refused.out ]] || fail "wrote to stdout: ${*:3}"
  equal "$(wc -l <refused.err)" 1 "lines on stderr of: ${*:3}: $(<refused.err)"
  grep -Eq "^error: .*($2)" refused.err || fail "expected 'error: ... $2' from ${*:3}, got: $(<refused.err)"
}

# Starts a server, which ends with the case, and waits until its models are ready. Sets `server`, its process, and
# `url`. Its messages are in the file log.
server=
start_server() { # COMMAND... ; nmt serve with a model, to which a free port is added
  : >log
  trap 'kill $server 2>/dev/null || true' EXIT
  "$@" --port 0 --device cpu 2>log &
  server=$!
  until grep -q "all models are ready" log; do
    kill -0 $server || fail "does not serve: $(<log)"
    sleep 0.05
  done
  # shellcheck disable=SC2034
  url=$(sed -n 's/.*listening on \(http:[^;]*\)\/;.*/\1/p' log)
}

# Prints COUNT different sentence pairs of an artificial language, with a tab between source and target. Words are
# translated one to one, adjectives move after their noun and verbs to the end. The same SEED gives the same pairs with
# every awk.
pairs() { # SEED COUNT
  awk -v state="$1" -v count="$2" '
    function draw(n) { state = state * 16807 % 2147483647; return state % n }
    function word(class, i) { return substr(class, 1, 1) substr("aeiou", 1 + i % 5, 1) substr("bdklmrst", 1 + i, 1) }
    function mapped(text, i, letters, out) {
      for (i = length(text); i > 0; --i) out = out substr(text, i, 1)
      return out "o"
    }
    function phrase(i, noun, adjective) {
      noun = word("noun", draw(8))
      if (draw(2)) { source = source " the " noun; target = target " la " mapped(noun); return }
      adjective = word("quality", draw(8))
      source = source " the " adjective " " noun
      target = target " la " mapped(noun) " " mapped(adjective)
    }
    BEGIN {
      while (written < count) {
        source = target = ""
        phrase()
        verb = word("verb", draw(8))
        source = source " " verb
        if (draw(3)) phrase()
        if (draw(3) == 0) { source = source " near"; target = target " apud"; phrase() }
        pair = substr(source, 2) " .\t" substr(target, 2) " " mapped(verb) " ."
        if (pair in seen) continue
        seen[pair]
        print pair
        ++written
      }
    }'
}

# Makes train.src and train.tgt (500 pairs), and test.src and test.tgt (50 other pairs).
make_text() {
  pairs 4711 550 >pairs
  head -n 500 pairs | cut -f 1 >train.src
  head -n 500 pairs | cut -f 2 >train.tgt
  tail -n 50 pairs | cut -f 1 >test.src
  tail -n 50 pairs | cut -f 2 >test.tgt
}

# Makes words.spm, a shared vocabulary of whole words for make_text's text.
make_vocabulary() {
  nmt vocab -i train.src -i train.tgt -o words.spm --type word --size 56 --quiet
}

# The settings of the models that the cases train: small enough for updates of a fraction of a second. Options override
# them.
small=(--config "${BASH_SOURCE[0]%/*}/small.yml")

# Trains on make_text's text in the folder run; further options override the defaults.
train() { # [OPTION...]
  overriding nmt train "${small[@]}" --vocab words.spm --source train.src --target train.tgt --save-every 0 -o run --quiet "$@"
}

# Makes text, a vocabulary and a trained model, model.safetensors. The cases of one run train it once, in the folder
# NMT_SHARED_MODEL.
make_model() {
  local shared=${NMT_SHARED_MODEL:-}
  if [[ ! $shared ]]; then
    train_model
    return
  fi
  mkdir -p "$shared"
  (
    flock 9
    if [[ ! -f $shared/model.safetensors ]]; then cd "$shared" && train_model; fi
  ) 9>"$shared.lock"
  cp -r "$shared"/. .
}
train_model() {
  make_text
  make_vocabulary
  train --steps 150
  cp run/last.safetensors model.safetensors
}

# Prints the metrics of a run without times.
metrics() { # DIRECTORY
  sed -E 's/"(seconds|data_wait|target_tokens_per_second)": *[^,}]*//g' "$1/metrics.jsonl"
}

# Checks that a run left the same files as another, uninterrupted run.
same_run() { # DIRECTORY [OTHER=whole]
  local file other=${2:-whole}
  equal "$(metrics "$1")" "$(metrics "$other")" "metrics of $1"
  equal "$(cd "$1" && echo *.safetensors)" "$(cd "$other" && echo *.safetensors)" "checkpoints of $1"
  for file in "$other"/*.safetensors; do same "$file" "$1/${file##*/}"; done
  diff -r "$other/valid" "$1/valid"
}
