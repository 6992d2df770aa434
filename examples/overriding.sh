# shellcheck shell=bash
# Runs a command in which later options override earlier ones. nmt refuses repeated options, so only the last value of
# each option is passed, except for options that name several files.
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
