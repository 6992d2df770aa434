#!/usr/bin/env bash
# Installed files for shells and man; man reports no warnings for the pages.
. "$(dirname "$0")/../lib.sh"
bash "$(dirname "$0")/../../doc/shell.sh" "$NMT" share
equal "$(find share -type f | grep -v '/nmt-' | sort | xargs)" "share/bash-completion/completions/nmt \
share/fish/vendor_completions.d/nmt.fish share/man/man1/nmt.1 share/zsh/site-functions/_nmt" "files"
while read -r command summary; do
  page=share/man/man1/nmt-$command.1
  grep -Fq -- "- $summary" <(sed 's/\\-/-/g' "$page") || fail "$page lacks what nmt says of $command"
  grep -Fq "$command" share/man/man1/nmt.1 || fail "nmt.1 lacks $command"
done < <(nmt | sed -n 's/^  \([a-z]\)/\1/p')

command -v man >/dev/null || skip "man is not installed"
for page in share/man/man1/*; do
  man --warnings --local-file "$page" >text 2>complaints || fail "man cannot show $page: $(<complaints)"
  [[ ! -s complaints ]] || fail "man complains of $page: $(<complaints)"
  [[ -s text ]] || fail "$page is empty"
done
man share/man/man1/nmt-average.1 | contains -E '^ +-o, --output FILE' || fail "nmt-average(1) lacks --output"
