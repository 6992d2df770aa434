# Common functions of the examples. Scripts that source this find the program in $nmt, and print the comment at their
# beginning with --help.
# shellcheck shell=bash
set -euo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
. "$root/examples/overriding.sh"
nmt=${NMT:-$root/build/nmt}
data= # folder of the texts, for text()
export LC_ALL=C.UTF-8

usage() { sed -n '2,/^[^#]/ s/^# \?//p' "$0"; }

# Prints what the script does now, and how long it has been running.
step() { printf '== [%d:%02d] %s\n' $((SECONDS / 60)) $((SECONDS % 60)) "$1" >&2; }

fail() { # MESSAGE [EXIT-CODE]
  echo "error: $1" >&2
  exit "${2:-1}"
}

fail_usage() { fail "$1; see $0 --help" 2; }

can_be_root() { ((EUID == 0)) || command -v sudo >/dev/null; }

as_root() { if ((EUID == 0)); then "$@"; else sudo "$@"; fi; }

# Builds the program if it is missing.
build() { # PRESET
  [[ ! -x $nmt ]] || return 0
  [[ -z ${NMT:-} ]] || fail "NMT names '$nmt', which is not a program"
  step "packages"
  "$root/examples/install-packages.sh" >&2 || echo "continuing with the installed packages" >&2
  step "build"
  (cd "$root" && cmake --preset "$1" && cmake --build --preset "$1" --target nmt) >&2
}

# Prints the path of the text NAME in $data, compressed or not.
text() { # NAME
  local ending
  for ending in '' .gz .xz; do
    [[ ! -f $data/$1$ending ]] || { echo "$data/$1$ending" && return; }
  done
  fail "'$data' holds no $1, $1.gz or $1.xz"
}

# Writes a file to standard output, decompressed.
unpacked() { # FILE
  case $1 in
    *.gz) gzip -dc "$1" ;;
    *.xz) xz -dc "$1" ;;
    *.bz2) bzip2 -dc "$1" ;;
    *) cat "$1" ;;
  esac
}

# Whether OUTPUT is missing or older than one of the INPUTs.
is_stale() { # OUTPUT INPUT...
  local output=$1 input
  [[ -e $output ]] || return 0
  for input in "${@:2}"; do
    [[ ! $input -nt $output ]] || return 0
  done
  return 1
}

# Writes the output of COMMAND to FILE, which appears when it is complete.
save() { # FILE COMMAND...
  "${@:2}" >"$1.part" || return
  mv "$1.part" "$1"
}

is_intact() { # FILE ENDING
  case $2 in
    gz | tgz) gzip -t "$1" ;;
    tar) tar -tf "$1" >/dev/null ;;
    *) [[ -s $1 ]] ;;
  esac
}

# Downloads URL to FILE unless it exists; a failed download leaves no file.
download() { # URL FILE
  [[ ! -f $2 ]] || return 0
  command -v curl >/dev/null || fail "curl is not installed; get the files yourself and use --data"
  if ! curl --fail --silent --show-error --location --retry 3 --output "$2.part" "$1" ||
    ! is_intact "$2.part" "${2##*.}"; then
    rm -f "$2.part"
    fail "cannot download $1; get the files yourself and use --data"
  fi
  mv "$2.part" "$2"
}

# Downloads Multi30k, English and German, as the texts train, valid, test2016 and test2017.
download_multi30k() { # FOLDER
  local side site=https://raw.githubusercontent.com/multi30k/dataset/master/data/task1/raw
  mkdir -p "$1"
  step "data: $site"
  for side in en de; do
    download "$site/train.$side.gz" "$1/train.$side.gz"
    download "$site/val.$side.gz" "$1/valid.$side.gz"
    download "$site/test_2016_flickr.$side.gz" "$1/test2016.$side.gz"
    download "$site/test_2017_flickr.$side.gz" "$1/test2017.$side.gz"
  done
}

# Averages the newest N checkpoints of a run, or all if there are fewer.
average() { # RUN N OUTPUT
  local checkpoints=("$1"/step-*.safetensors)
  "$nmt" average "$1" --last $((${#checkpoints[@]} < $2 ? ${#checkpoints[@]} : $2)) -o "$3"
}

# Prints ten lines, evenly spaced over a test set: source, reference, translation.
show_translations() { # SOURCE REFERENCE TRANSLATION
  local every=$(($(wc -l <"$3") / 10 + 1))
  paste -d '\n' <(unpacked "$1") <(unpacked "$2") "$3" |
    awk -v every="$every" '
      BEGIN { split("source reference nmt", label) }
      int((NR - 1) / 3) % every == int(every / 2) {
        printf "%-10s %s\n", label[(NR - 1) % 3 + 1], $0
        if (NR % 3 == 0) print ""
      }'
}

show_speed() { # METRICS
  sed -nE '/"event": ?"train"/ s/.*"target_tokens": ?([0-9]+).*"seconds": ?([0-9.]+).*/\1 \2/p' "$1" |
    awk '{ tokens = $1; seconds = $2 }
         END { if (seconds > 0) printf "speed: %d target tokens in %d s of training, %d per second\n",
                                       tokens, seconds, tokens / seconds }'
}
