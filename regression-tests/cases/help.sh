#!/usr/bin/env bash
# Help goes to stdout, whatever is asked for help.
. "$(dirname "$0")/../lib.sh"

asks() { # COMMAND...
  "$@" >out 2>err || fail "exit code of: $*"
  [[ ! -s err ]] || fail "wrote to stderr: $*"
  [[ -s out ]] || fail "wrote nothing: $*"
}

asks nmt --version
grep -Exq 'nmt [0-9]+\.[0-9]+\.[0-9]+' out || fail "--version says '$(<out)'"
asks nmt --help
cp out overview
asks nmt
same out overview

for command in vocab batch train average translate score bleu; do
  grep -Eq "^ +$command +[A-Za-z]" overview || fail "the overview lacks $command"
  asks nmt "$command" --help
  grep -q "^usage: nmt $command" out || fail "no usage line for $command"
  grep -q '^example:' out || fail "no example for $command"
  grep -Eq '\(default: ' out || fail "no defaults for $command"
done
refuses 2 "unknown subcommand 'trian', did you mean 'train'" nmt trian

# The pages in doc/ say the same.
bash "$(dirname "$0")/../../doc/generate.sh" pages
diff -r pages "$(dirname "$0")/../../doc/commands" || fail "doc/commands is out of date; run doc/generate.sh"
