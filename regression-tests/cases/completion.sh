#!/usr/bin/env bash
# Completion in bash: subcommands, options, values, files, directories.
. "$(dirname "$0")/../lib.sh"
nmt --help=bash >completion
# shellcheck source=/dev/null
. ./completion
[[ $(complete -p nmt) == *"-F _nmt nmt" ]] || fail "nmt is not completed: $(complete -p nmt)"

compopt() { asked=$2; } # works only while a user types

# Prints the completions of the last word, which may be empty, and whether bash completes files.
offered() { # WORD...
  COMP_WORDS=("$@") COMP_CWORD=$(($# - 1)) asked=
  _nmt
  echo "${COMPREPLY[*]}${asked:+[$asked]}"
}

equal "$(offered nmt '')" "$(nmt | sed -n 's/^  \([a-z]*\).*/\1/p' | tr '\n' ' ')help --help --version" "subcommands"
equal "$(offered nmt tr)" "train translate" "subcommands in tr"
equal "$(offered nmt train --over)" "--overwrite" "an option"
equal "$(offered nmt batch --no)" "--no-drop-identical" "a switch that is on"
equal "$(offered nmt train --preset transformer-b)" "transformer-base transformer-big transformer-base-modern" "presets"
equal "$(offered nmt train --preset = transformer-t)" "transformer-tiny" "a value after ="
presets="transformer-tiny transformer-small transformer-base transformer-big"
presets+=" transformer-small-modern transformer-base-modern student-tiny student-base"
equal "$(offered nmt train --preset =)" "$presets rnn rnn-small rnn-deep lm-small lm-base comet-small comet-qe-small" "values after ="
equal "$(offered nmt train --norm '')" "post pre both none" "values of a setting of models"
equal "$(offered nmt train -o '')" "[dirnames]" "a directory"
equal "$(offered nmt train --steps '')" "" "a number"
equal "$(offered nmt translate -m '')" "[default]" "a file"
equal "$(offered nmt bleu '')" "[default]" "arguments"
equal "$(offered nmt bleu -i a b --js)" "--json" "an option after arguments"
equal "$(offered nmt nothing '')" "" "an unknown subcommand"
equal "$(offered nmt help tr)" "train translate" "commands after help"
equal "$(offered nmt help train '')" "" "an argument after that"
equal "$(offered nmt plot '')" "architecture masks positions schedule smoothing" "pictures"
equal "$(offered nmt plot masks --pa)" "--pair" "an option after a picture"
equal "$(offered nmt bleu --metrics '')" "bleu chrf chrf++ ter comet metricx" "metrics"
equal "$(offered nmt bleu --metrics bleu,)" "bleu,chrf bleu,chrf++ bleu,ter bleu,comet bleu,metricx[nospace]" "more metrics"
equal "$(offered nmt bleu --metrics = ter,b)" "ter,bleu[nospace]" "a metric of which a part is typed"
equal "$(offered nmt train --valid-metrics chrf,ter,b)" "chrf,ter,bleu[nospace]" "metrics of validations"

# Every option of the table is offered.
while read -r command _; do
  listed=$(nmt "$command" --help | grep -oE '^  (-[a-zA-Z], |    )--[a-z0-9-]+' | grep -oE -- '--.*' |
    grep -v '^--no-' | sort)
  equal "$(offered nmt "$command" -- | tr ' ' '\n' | grep -v '^--no-' | sort)" "$listed" "options of $command"
done < <(nmt | sed -n 's/^  \([a-z]\)/\1/p')

refuses 2 "--help=pdf: expected one of markdown, json, man, bash, zsh, fish" nmt --help=pdf
refuses 2 "--help=bsh: .*did you mean 'bash'" nmt train --help=bsh
