#!/usr/bin/env bash
# Completion in fish: subcommands, options, values, files, directories.
. "$(dirname "$0")/../lib.sh"
command -v fish >/dev/null || skip "fish is not installed"
nmt --help=fish >completion
mkdir folder home
touch some.txt
export HOME=$PWD/home

# Prints the completions of the last word of a line, without descriptions.
offered() { # LINE
  fish --no-config -c "source completion; complete -C '$1'" | cut -f 1 | tr '\n' ' '
}

equal "$(offered 'nmt tr')" "train translate " "subcommands"
equal "$(offered 'nmt train --over')" "--overwrite " "an option"
equal "$(offered 'nmt train --preset transformer-b')" "transformer-base transformer-base-modern transformer-big " "presets"
equal "$(offered 'nmt train -o fo')" "folder/ " "a directory"
equal "$(offered 'nmt train -o so')" "" "no directory"
equal "$(offered 'nmt train --steps so')" "" "a number"
equal "$(offered 'nmt translate -m so')" "some.txt " "a file"
equal "$(offered 'nmt train so')" "" "no argument"
equal "$(offered 'nmt bleu so')" "some.txt " "an argument"
equal "$(offered 'nmt help tr')" "train translate " "commands after help"
equal "$(offered 'nmt plot arch')" "architecture " "a picture"
equal "$(offered 'nmt bleu --metrics bleu,te')" "bleu,ter " "more metrics"
equal "$(offered 'nmt bleu --metrics=bleu,te')" "--metrics=bleu,ter " "more metrics after ="
