#!/usr/bin/env bash
# Completion in zsh, typed at its prompt.
. "$(dirname "$0")/../lib.sh"
command -v zsh >/dev/null || skip "zsh is not installed"
mkdir functions folder
nmt --help=zsh >functions/_nmt
zsh -n functions/_nmt
touch some.txt
cat >type.zsh <<'END_OF_ZSH'
# type.zsh LINE EXPECTED: types LINE and a tab, waits for EXPECTED
zmodload zsh/zpty
zpty shell env TERM=dumb zsh -f -i
zpty -w shell "fpath=($PWD/functions \$fpath); autoload -Uz compinit; compinit -u -D; PS1=; zle_highlight=none; echo rea''dy"
zpty -r shell out '*ready*'
zpty -w -n shell "$1"$'\t'
zpty -r shell out "*$2*"
zpty -d shell
END_OF_ZSH

becomes() { # LINE EXPECTED
  timeout 60 zsh -f type.zsh "$1" "$2" || fail "'$1' did not become '$2'"
}

becomes 'nmt bl' 'nmt bleu '
becomes 'nmt train --over' 'nmt train --overwrite '
becomes 'nmt train --preset transformer-ti' '--preset transformer-tiny '
becomes 'nmt train --color=al' '--color=always '
becomes 'nmt train -o fo' '-o folder/'
becomes 'nmt translate -m so' '-m some.txt'
becomes 'nmt bleu so' 'bleu some.txt'
becomes 'nmt help transl' 'nmt help translate '
becomes 'nmt plot arch' 'nmt plot architecture '
becomes 'nmt bleu --metrics bleu,te' '--metrics bleu,ter'
becomes 'nmt ' 'translate *-- translate text with a model'
