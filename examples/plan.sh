# How many updates of which model a machine trains: found out from what it does at first, and again while it trains.
# Sourced after lib.sh.
# shellcheck shell=bash disable=SC2154

# What a script sets: the levels, the function options_of LEVEL, which sets the array options, and the folder of plan and
# run. Training takes the $usual minutes, on a slow machine up to the $limit; or the $minutes that a user gave, which are
# the limit then.
levels='' options=() out='' usual='' limit='' minutes=''

# A level is a line "NAME LEAST WORTH PACE UPDATES:BLEU...": a model, the fewest updates that make it worth its while, those
# that are worth waiting for as long as the limit, how many tokens a second it trains where the first level trains one, and
# the BLEU that was measured after so many updates. Better ones stand first.

calculate() { awk "BEGIN { print ($1) }"; } # EXPRESSION
is_true() { awk "BEGIN { exit !($1) }"; } # CONDITION
smaller() { calculate "($1) < ($2) ? ($1) : ($2)"; } # EXPRESSION EXPRESSION
larger() { calculate "($1) > ($2) ? ($1) : ($2)"; } # EXPRESSION EXPRESSION

is_minutes() { [[ $1 =~ ^[0-9]+(\.[0-9]+)?$ ]] && is_true "$1 > 0"; } # TEXT

# Updates that go into a time.
updates_in() { # MINUTES TOKENS-PER-SECOND TOKENS-PER-UPDATE
  calculate "int($1 * 60 * $2 / $3)"
}

# Minutes that updates take.
minutes_for() { # UPDATES TOKENS-PER-SECOND TOKENS-PER-UPDATE
  calculate "$1 * $3 / $2 / 60"
}

# Prints the NAME of a level and its updates, of the first level that comes to its least, else of the last: as many as go
# into the minutes WANTED, or those that are worth waiting for, as far as they go into the LIMIT. SPEED is that of the
# first level, in tokens a second.
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

# The updates that a run should end with, now that it has made STEP of UPDATES in MINUTES: as planned, or fewer when they
# would take longer than the LIMIT.
replan() { # STEP UPDATES MINUTES SPEED TOKENS-PER-UPDATE LIMIT
  smaller "$2" "$1 + $(updates_in "($6 - $3)" "$4" "$5")"
}

# One field of the level NAME: 2 for its least, 4 for its pace.
level_field() { # LEVELS NAME FIELD
  awk -v name="$2" -v field="$3" '$1 == name { print $field }' <<<"$1"
}

# A line on the BLEU that so many updates of the level came to; nothing where nothing was measured.
expectation() { # LEVELS NAME UPDATES
  awk -v name="$2" -v updates="$3" '
    $1 == name {
      for (i = NF; i > 4; --i) {
        split($i, point, ":")
        if (point[1] <= updates) { print "to expect: BLEU " point[2] " or more"; exit }
      }
      if (NF > 4) print "to expect: less than BLEU " point[2] ", for which it takes " point[1] " updates"
    }' <<<"$1"
}

# Of a run, if it has begun: updates, minutes, tokens a second in its last two minutes (those until the first figures,
# which starting up is part of, left out), tokens an update.
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

# Trains $out/run as planned; goes on from what is there.
train_by_plan() {
  local level updates
  [[ -f $out/plan ]] || make_plan
  read -r level updates <"$out/plan"
  options_of "$level"
  if [[ -n $minutes ]]; then updates=$(updates_now); fi
  step "training: the $level model, $updates updates"
  train_to "$updates"
}

# Chooses level and updates by what the machine does, and writes them to $out/plan. The best level's run goes on from what
# was tried: it was warm-up.
make_plan() {
  local best=${levels%% *} level updates speed batch
  step "a look at this machine: 50 updates, or what it makes in a minute"
  options_of "$best"
  "$nmt" train -o "$out/run" "${options[@]}" --steps 50 --stop-after 1m --log-every 10 --valid-beam 0
  read -r _ _ speed batch < <(progress "$out/run/metrics.jsonl") || fail "not one update in a minute; is the machine busy?"
  read -r level updates < <(plan "$levels" "$speed" "$batch" "${minutes:-$usual}" "$limit")
  [[ $level == "$best" ]] || rm -rf "$out/run"
  save "$out/plan" echo "$level $updates"
  speed=$(calculate "$speed * $(level_field "$levels" "$level" 4)")
  printf 'this machine trains the %s model on %.0f tokens a second: %d updates in %.0f minutes\n' "$level" "$speed" \
    "$updates" "$(minutes_for "$updates" "$speed" "$batch")" >&2
  expectation "$levels" "$level" "$updates" >&2
}

# Updates that $minutes are enough for, what was made of them included.
updates_now() {
  local made spent speed batch
  if read -r made spent speed batch < <(progress "$out/run/metrics.jsonl"); then
    replan "$made" 1000000000 "$spent" "$speed" "$batch" "$minutes"
  else
    echo "$updates"
  fi
}

# Trains to so many updates; to fewer when the machine has become so slow that the limit comes first. Looks at its speed
# whenever a fifth of what was left is done, but not before three minutes: each look costs a validation.
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

# For train_to, of whose variables it tells.
tell_progress() { # PLANNED-UPDATES
  local planned=
  [[ $updates == "$1" ]] || planned=" ($1 were planned, but the machine has become slower)"
  printf '%d of %d updates%s, %.0f tokens a second, %.0f minutes to go' "$made" "$updates" "$planned" "$speed" "$left"
}
