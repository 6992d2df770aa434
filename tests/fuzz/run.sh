#!/usr/bin/env bash
# tests/fuzz/run.sh SECONDS [TARGET...]: fuzzes each target (all, unless named) for so long, with clang's libFuzzer and
# sanitizers. What is found lies in build-fuzz/findings; inputs that are worth keeping, in build-fuzz/corpus, from where
# the next run continues.
set -eu
cd "$(dirname "$0")/../.."
seconds=${1:?usage: tests/fuzz/run.sh SECONDS [TARGET...]}
shift
cmake --preset fuzz >/dev/null
cmake --build --preset fuzz >&2
fuzz=$PWD/build-fuzz/nmt_fuzz
work=$(mktemp -d)  # command lines may name files to be made here
trap 'rm -rf "$work"' EXIT
export TMPDIR=$work
"$fuzz" seeds build-fuzz/seeds
targets=("$@")
if ((${#targets[@]} == 0)); then mapfile -t targets < <(basename -s .dict -a build-fuzz/seeds/*.dict); fi
found=0
TIMEFORMAT=%U
for target in "${targets[@]}"; do
  corpus=$PWD/build-fuzz/corpus/$target seeds=$PWD/build-fuzz/seeds log=$PWD/build-fuzz/$target.log
  mkdir -p "$corpus" build-fuzz/findings
  { time (cd "$work" && "$fuzz" "$target" -max_total_time="$seconds" -timeout=20 -rss_limit_mb=2048 \
    -malloc_limit_mb=160 -close_fd_mask=1 -print_final_stats=1 -dict="$seeds/$target.dict" \
    -artifact_prefix="$OLDPWD/build-fuzz/findings/$target-" "$corpus" "$seeds/$target" \
    </dev/null >/dev/null 2>"$log"); } 2>"$work/time" || { found=1; echo "$target: something is found, see $log"; }
  echo "$target: $(sed -n 's/stat::number_of_executed_units: *//p' "$log") executions in $(cat "$work/time") s of" \
    "processor time, $(grep -o 'cov: [0-9]* ft: [0-9]*' "$log" | tail -1)"
done
exit $found
