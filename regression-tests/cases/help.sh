#!/usr/bin/env bash
# Help goes to standard output in every form.
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

# The overview groups commands by stage of work.
equal "$(sed -n 's/^\([a-z].*\):$/\1/p' overview | grep -v usage | tr '\n' ';')" "text;training;translation;insight;" "headings"

# -h shows the most used settings, in the groups of --help, on one screen.
while read -r command _; do
  asks nmt "$command" -h
  cp out short
  asks nmt "$command" --help
  (($(wc -l <short) <= 45 && $(wc -l <short) < $(wc -l <out))) || fail "$command -h has $(wc -l <short) lines"
  grep -q "^nmt $command --help lists all [0-9]* options" short || fail "$command -h does not tell where the rest is"
  for word in $(grep -oE '^  (-[a-zA-Z], |    )--[a-z0-9-]+|^[a-z].*:$' short); do
    grep -qF -- "$word" out || fail "$command --help lacks $word"
  done
done < <(sed -n 's/^  \([a-z]\)/\1/p' overview)

for command in vocab batch train average convert translate score bleu report info plot; do
  grep -Eq "^ +$command +[A-Za-z]" overview || fail "the overview lacks $command"
  asks nmt "$command" --help
  cp out page
  asks nmt help "$command"
  same out page
  grep -q "^usage: nmt $command" out || fail "no usage line for $command"
  grep -q '^example:' out || fail "no example for $command"
  grep -Eq '\(default: ' out || fail "no defaults for $command"
done
# The defaults of a preset.
asks nmt train --preset transformer-tiny --help
grep -q -- '--preset .*transformer-tiny' out || fail "no preset: $(<out)"
tiny=$(nmt train --list-presets | sed -n '/^transformer-tiny:/{n;p}' | grep -o 'd_model [0-9]*' | cut -d ' ' -f 2)
grep -A 3 -- '--d-model VALUE' out | contains "(default: $tiny)" || fail "the width of transformer-tiny is not told"
tr -s ' \n' ' ' <out | contains 'Maximum number of updates (default: from the corpus size).' || fail "the default of --steps: $(<out)"
refuses 2 "transformer-hug.*did you mean 'transformer-big'" nmt train --preset transformer-hug --help

# --help=json prints a line for each subcommand.
asks nmt --help=json
equal "$(wc -l <out)" "$(grep -c '^  [a-z]' overview)" "subcommands of --help=json"
asks nmt bleu --help=json
grep -q '^{"command":"nmt bleu",.*"name":"width","type":"integer",' out || fail "no table: $(<out)"

refuses 2 "unknown subcommand 'trian', did you mean 'train'" nmt trian
refuses 2 "unknown subcommand 'trian', did you mean 'train'" nmt help trian
refuses 2 "unknown subcommand 'decode', did you mean 'translate'" nmt decode
refuses 2 "unknown subcommand 'evaluate', did you mean 'bleu'" nmt evaluate
refuses 2 "unknown subcommand 'version', did you mean '--version'" nmt version
refuses 2 "unknown subcommand 'zzz'; nmt --help lists the subcommands" nmt zzz

# What other toolkits call an option or a value is accepted or suggested.
refuses 2 "unknown option '--continue', did you mean '--from-weights' .a run continues when its --output is given again" \
  nmt train --continue
refuses 2 "unknown option '--no-r-drop', did you mean '--r-drop 0'" nmt train --no-r-drop
refuses 2 "unknown option '--no-norm', did you mean '--norm none'" nmt train --no-norm
refuses 2 "unknown option '--html', did you mean '--markup'" nmt translate --html
refuses 2 "unexpected argument 'c'; for example: nmt vocab -i train.en -i train.de.gz " nmt vocab -i a b -o x c
refuses 1 "cannot read 'missing.st'" nmt convert missing.st --to ct2 -o converted
for values in "--activation silu" "--norm prenorm" "--schedule inverse-square-root" "--best-by ppl"; do
  # shellcheck disable=SC2086
  nmt train $values --help >/dev/null || fail "$values is refused"
done
equal "$(nmt -V)" "$(nmt --version)" "-V"
asks nmt --version --verbose
equal "$(awk '{ print $1 }' out | tr '\n' ' ')" "nmt commit compiler build " "what --version --verbose tells"
equal "nmt $(sed -n "s/^## //p" "$(dirname "$0")/../../CHANGELOG.md" | sed -n 1p)" "$(nmt --version)" "the newest version in CHANGELOG.md"
refuses 2 "--version takes only --verbose, not '--verbos'" nmt --version --verbos
refuses 2 "unknown option '--vresion', did you mean '--version'" nmt --vresion

# Every subcommand reads settings from files, and values of short options can be written in any usual way.
printf 'der Hund\n' >reference
printf 'width: 4\n' >width.yml
for width in "--config width.yml" -w4 "-w 4" -bw4; do
  # shellcheck disable=SC2086
  nmt bleu reference $width -b <reference >score
  equal "$(<score)" "$(nmt bleu reference --score-only --width 4 <reference)" "score with $width"
done

# The pages in doc/ are up to date.
bash "$(dirname "$0")/../../doc/generate.sh" pages
diff -r pages "$(dirname "$0")/../../doc/commands" || fail "doc/commands is out of date; run doc/generate.sh"
