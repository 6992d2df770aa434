# shellcheck shell=bash
# Runs a command of which later options override earlier ones: of an option that is given more than once, which nmt
# refuses, the last one stays, unless it names one of several files.
overriding() { # COMMAND [ARGUMENT]...
  local -A last=()
  local argument name='' number=0 kept=()
  for argument in "$@"; do
    if [[ $argument == -[a-z-]* ]]; then last[$argument]=$((++number)); fi
  done
  number=0
  for argument in "$@"; do
    if [[ $argument == -[a-z-]* ]]; then name=$argument && ((++number)); fi
    case $name in
      '' | --train | --config | --model | --freeze | -m | -i) kept+=("$argument") ;;
      *) ((number < last[$name])) || kept+=("$argument") ;;
    esac
  done
  "${kept[@]}"
}
