# Chooses the model and the number of updates by the speed of the machine, which is measured at first and during
# training. Sourced after lib.sh.
# shellcheck shell=bash disable=SC2154

# The script sets the levels; the function options_of LEVEL, which sets the array options; and the folder of plan and
# run. Training takes the $usual minutes, on a slow machine up to the $limit. If the user gave $minutes, these are the
# limit.
levels='' options=() out='' usual='' limit='' minutes=''

# A level is a line "NAME LEAST WORTH PACE UPDATES:BLEU...", and better levels come first. NAME is a model. LEAST is the
# minimum number of updates for which it is useful. WORTH is the number of updates that training makes if the limit
# allows them. PACE is its speed relative to the first level. The rest is the measured BLEU after numbers of updates.

calculate() { awk "BEGIN { print ($1) }"; } # EXPRESSION
is_true() { awk "BEGIN { exit !($1) }"; } # CONDITION
smaller() { calculate "($1) < ($2) ? ($1) : ($2)"; } # EXPRESSION EXPRESSION
larger() { calculate "($1) > ($2) ? ($1) : ($2)"; } # EXPRESSION EXPRESSION

is_minutes() { [[ $1 =~ ^[0-9]+(\.[0-9]+)?$ ]] && is_true "$1 > 0"; } # TEXT

# Prints the number of updates that fit into a time.
updates_in() { # MINUTES TOKENS-PER-SECOND TOKENS-PER-UPDATE
  calculate "int($1 * 60 * $2 / $3)"
}

# Prints the minutes that updates take.
minutes_for() { # UPDATES TOKENS-PER-SECOND TOKENS-PER-UPDATE
  calculate "$1 * $3 / $2 / 60"
}

# Prints the NAME of a level and its updates. It is the first level that reaches its minimum, otherwise the last one. It
# gets the updates that fit into WANTED minutes, or those that are worth waiting for, as far as they fit into the LIMIT.
# SPEED is that of the first level, in tokens per second.
plan() { # LEVELS SPEED TOKENS-PER-UPDATE WANTED LIMIT
  local name least worth pace updates chosen possible
  while read -r name least worth pace _; do
    chosen=$name
    updates=$(updates_in "$4" "$2 * $pace" "$3")
    possible=$(updates_in "$5" "$2 * $pace" "$3")
    if ((updates < worth)); then updates=$((possible < worth ? possible : worth)); fi
    ((updates < least)) || break
  done <<<"$1"
  echo "$chosen $((updates > 0 ? updates : 1))"
}

# Prints the updates with which a run should end after it has made STEP of UPDATES in MINUTES: the planned number, or
# fewer if they would exceed the LIMIT.
replan() { # STEP UPDATES MINUTES SPEED TOKENS-PER-UPDATE LIMIT
  smaller "$2" "$1 + $(updates_in "($6 - $3)" "$4" "$5")"
}

# Prints a field of the level NAME: 2 for its minimum, 4 for its pace.
level_field() { # LEVELS NAME FIELD
  awk -v name="$2" -v field="$3" '$1 == name { print $field }' <<<"$1"
}

# Prints a line with the BLEU of this level after a similar number of updates; nothing if none was measured.
expectation() { # LEVELS NAME UPDATES
  awk -v name="$2" -v updates="$3" '
    $1 == name {
      for (i = NF; i > 4; --i) {
        split($i, point, ":")
        if (point[1] <= updates) { print "expected: BLEU " point[2] " or more"; exit }
      }
      if (NF > 4) print "expected: less than BLEU " point[2] ", which needs " point[1] " updates"
    }' <<<"$1"
}

# If a run has begun, prints its updates, minutes, tokens per second in the last two minutes, and tokens per update. The speed
# excludes the time until the first figures, which includes starting up.
progress() { # METRICS
  [[ -f $1 ]] || return 0
  sed -nE '/"event": ?"train"/ s/.*"step": ?([0-9]+).*"target_tokens": ?([0-9]+).*"seconds": ?([0-9.]+).*/\1 \2 \3/p' \
    "$1" | awk '{ step[NR] = $1; tokens[NR] = $2; seconds[NR] = $3 }
      END {
        if (!NR) exit
        for (from = NR - 1; from > 1 && seconds[NR] - seconds[from] < 120; --from) continue
        print step[NR], seconds[NR] / 60,
          (tokens[NR] - tokens[from]) / (seconds[NR] - seconds[from]), tokens[NR] / step[NR]
      }'
}

# Trains $out/run as planned, or continues it.
train_by_plan() {
  local level updates
  [[ -f $out/plan ]] || make_plan
  read -r level updates <"$out/plan"
  options_of "$level"
  if [[ -n $minutes ]]; then updates=$(updates_now); fi
  step "training: the $level model, $updates updates"
  train_to "$updates"
}

# Chooses the level and updates by the measured speed, and writes them to $out/plan. The run of the best level continues
# from the measurement, which was part of its warm-up.
make_plan() {
  local best=${levels%% *} level updates speed batch
  step "measuring this machine: 50 updates, or one minute"
  options_of "$best"
  "$nmt" train -o "$out/run" "${options[@]}" --steps 50 --stop-after 1m --log-every 10 --valid-beam 0
  read -r _ _ speed batch < <(progress "$out/run/metrics.jsonl") || fail "not one update in a minute; is the machine busy?"
  read -r level updates < <(plan "$levels" "$speed" "$batch" "${minutes:-$usual}" "$limit")
  [[ $level == "$best" ]] || rm -rf "$out/run"
  save "$out/plan" echo "$level $updates"
  speed=$(calculate "$speed * $(level_field "$levels" "$level" 4)")
  printf 'this machine trains the %s model on %.0f tokens per second: %d updates in %.0f minutes\n' "$level" "$speed" \
    "$updates" "$(minutes_for "$updates" "$speed" "$batch")" >&2
  expectation "$levels" "$level" "$updates" >&2
}

# Prints the updates that fit into $minutes, including those already made.
updates_now() {
  local made spent speed batch
  if read -r made spent speed batch < <(progress "$out/run/metrics.jsonl"); then
    replan "$made" 1000000000 "$spent" "$speed" "$batch" "$minutes"
  else
    echo "$updates"
  fi
}

# Trains for a number of updates, or fewer if the machine becomes so slow that the limit comes first. Checks the speed
# whenever a fifth of the rest is done, but not in the first three minutes, because each check costs a validation.
train_to() { # UPDATES
  local updates=$1 before=-1 made minutes speed batch left pause
  while
    if read -r made minutes speed batch < <(progress "$out/run/metrics.jsonl"); then
      updates=$(replan "$made" "$1" "$minutes" "$speed" "$batch" "$limit")
    else
      made=0 minutes=0
    fi
    is_true "$before < $made && $made < $updates && $minutes < $limit"
  do
    before=$made
    pause=3
    if ((made > 0)); then
      left=$(minutes_for $((updates - made)) "$speed" "$batch")
      step "training: $(tell_progress "$1")"
      pause=$(larger "$pause" "$left / 5")
    fi
    "$nmt" train -o "$out/run" "${options[@]}" --steps "$updates" --stop-after "$(smaller "$limit" "$minutes + $pause")m"
  done
}

# Logs the progress for train_to, whose variables it reads.
tell_progress() { # PLANNED-UPDATES
  local planned=
  [[ $updates == "$1" ]] || planned=" ($1 were planned, but the machine has become slower)"
  printf '%d of %d updates%s, %.0f tokens per second, %.0f minutes left' "$made" "$updates" "$planned" "$speed" "$left"
}
