#!/usr/bin/env bash
# Speed of training with processes and with threads, alternating: one rank with one thread, one with two, and two ranks
# with one thread each, joined by MPI. Prints a table in Markdown: target tokens per second of elapsed time, medians of
# the rounds, and the speedup over one thread within a round, with its minimum and maximum.
#
#   NMT_REFERENCE_DATA=DIR bench/ranks.sh [PRESET:VOCABULARY:TOKENS ...]
#
# DIR contains multi30k/train.en.xz and train.de.xz; TOKENS is the size of an update. By default small and base with
# updates of 4,000 tokens. ROUNDS (5) is the number of rounds, UPDATES (6) the number of updates in each, of which the
# first two do not count. Run it alone, on two or more cores.
set -euo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
nmt=${NMT:-$root/build/nmt}
data=${NMT_REFERENCE_DATA:?names no folder with multi30k/train.en.xz and train.de.xz}/multi30k
rounds=${ROUNDS:-5} updates=${UPDATES:-6}
runs=("$@")
if ((${#runs[@]} == 0)); then runs=(transformer-small:8000:4000 transformer-base:8000:4000); fi
command -v mpirun >/dev/null || { echo "ranks.sh: no mpirun; install openmpi-bin" >&2 && exit 1; }
if [[ $(id -u) == 0 ]]; then export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1; fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
for language in en de; do xz -dc "$data/train.$language.xz" >"train.$language"; done

# Prints the target tokens per second of a run, without the first two updates.
speed() { # RANKS THREADS OPTION...
  local launcher=()
  if (($1 > 1)); then launcher=(mpirun -n "$1" --bind-to none); fi
  "${launcher[@]}" "$nmt" train "${@:3}" --threads "$2" --steps "$updates" --log-every 2 --save-every 0 --overwrite --quiet \
    --output run
  sed -n '/"event":"train"/ s/.*"step":\([0-9]*\).*"target_tokens":\([0-9]*\).*"seconds":\([0-9.]*\).*/\1 \3 \2/p' \
    run/metrics.jsonl | awk '$1 == 2 { seconds = $2; tokens = $3 } { last = $2; all = $3 }
      END { print (all - tokens) / (last - seconds) }'
}

# Prints "MEDIAN (MINIMUM-MAXIMUM)" of a column of a file.
summary() { # FILE COLUMN FORMAT
  awk -v column="$2" '{ print $column }' "$1" | sort -g | awk -v format="$3" '{ x[NR] = $1 }
    END { printf format, (x[int((NR + 1) / 2)] + x[int(NR / 2) + 1]) / 2, x[1], x[NR] }'
}

echo "| tokens of an update | 1 rank, 1 thread | 1 rank, 2 threads | | 2 ranks, 1 thread | |"
echo "|---|--:|--:|--:|--:|--:|"
for run in "${runs[@]}"; do
  IFS=: read -r preset vocabulary tokens <<<"$run"
  "$nmt" vocab -i train.en -i train.de -o "$vocabulary.spm" --size "$vocabulary" --quiet
  options=(--preset "$preset" --vocab "$vocabulary.spm" --source train.en --target train.de --batch-tokens "$tokens")
  for ((round = 0; round < rounds; ++round)); do
    echo "$(speed 1 1 "${options[@]}") $(speed 1 2 "${options[@]}") $(speed 2 1 "${options[@]}")"
  done | awk '{ print $1, $2, $3, $2 / $1, $3 / $1 }' >speeds
  echo "| $preset, $tokens | $(summary speeds 1 %.0f) | $(summary speeds 2 %.0f) | $(summary speeds 4 '%.2f (%.2f-%.2f)')" \
    "| $(summary speeds 3 %.0f) | $(summary speeds 5 '%.2f (%.2f-%.2f)') |"
done
