#!/usr/bin/env bash
# The plans of the examples for a given speed, and their reaction when the speed falls. A stand-in for nmt reports
# speeds and takes no time.
. "$(dirname "$0")/../lib.sh"
examples=$(cd "$(dirname "$0")/../../examples" && pwd)
quickstart=$examples/quickstart/run.sh

# Updates have 1000 tokens. Lines "MINUTE SPEED" of the file speeds give the target tokens per second of the best model
# from that minute on. The preset transformer-tiny is "tiny" times as fast. The file score has the BLEU of translations.
mkdir bin
export tiny=2.1
cat >bin/nmt <<'END_OF_NMT'
#!/usr/bin/env bash
output= steps= minutes=1e9 pace=1
for ((i = 1; i <= $#; ++i)); do
  next=$((i + 1))
  case ${!i} in
    -o) output=${!next} ;;
    --steps) steps=${!next} ;;
    --stop-after) minutes=${!next%m} ;;
    transformer-tiny) pace=$tiny ;;
    --d-model) pace=1 ;; # of the quick start's large model
  esac
done
case $1 in
  vocab | average) touch "$output" ;;
  translate) echo ;;
  bleu) if [[ $* == *--score-only* ]]; then cat score; else echo "BLEU = $(<score)"; fi ;;
  train)
    mkdir -p "$output"
    touch "$output/metrics.jsonl" "$output/step-1.safetensors"
    tail -n 1 "$output/metrics.jsonl" >last
    awk -v steps="$steps" -v minutes="$minutes" -v pace="$pace" '
      FILENAME == "speeds" { from[FNR] = $1 * 60; speed[FNR] = $2 * pace; n = FNR; next }
      { split($0, part, /[:,}]/); step = part[4]; seconds = part[8] }
      END {
        while (step < steps && seconds < minutes * 60) {
          for (i = n; from[i] > seconds; --i) continue
          seconds += 1000 / speed[i]
          ++step
          printf "{\"event\":\"train\",\"step\":%d,\"target_tokens\":%d,\"seconds\":%.6f}\n", step, step * 1000, seconds
        }
      }' speeds last >>"$output/metrics.jsonl"
    ;;
esac
END_OF_NMT
chmod +x bin/nmt
export NMT=$PWD/bin/nmt
echo 20.0 >score

# Runs the script on its own small text with these speeds.
starts() { # SPEEDS OPTION...
  printf '%b\n' "$1" >speeds
  rm -rf run
  mkdir -p run/text
  for part in train valid test; do
    seq 10 >"run/text/$part.en"
    seq 10 >"run/text/$part.de"
  done
  touch run/shared.spm
  "$quickstart" --out run "${@:2}" >out 2>log || fail "$(<log)"
}

updates() { sed -nE '$ s/.*"step":([0-9]+).*/\1/p' run/run/metrics.jsonl; }

# Prints the model and its number of updates.
is_trained() { # MODEL UPDATES
  equal "$(cut -d ' ' -f 1 run/plan)" "$1" "model"
  holds "$(updates) >= 0.99 * $2 && $(updates) <= 1.01 * $2"
}

starts '0 12000'
is_trained large 7200
grep -q '^this machine trains the large model on 12000 tokens per second: 7200 updates in 10 minutes' log ||
  fail "plan: $(<log)"
grep -Eq '^expected: BLEU [0-9]+ or more' log || fail "nothing is said of what to expect: $(<log)"
! grep -q "BLEU is" out || fail "a reason without need: $(<out)"

starts '0 4600'
is_trained small 5796
starts '0 1000'
is_trained small 4500
grep -q '4500 updates in 36 minutes' log || fail "plan: $(<log)"

echo 9.5 >score
starts '0 300'
is_trained small 1512
grep -q '^expected: less than BLEU 14' log || fail "nothing is said of what to expect: $(<log)"
grep -q '^BLEU is 9.5 because 15[0-9]* updates were made in 40 minutes, at 630 tokens per second' out ||
  fail "no reason: $(<out)"
grep -Eq -- '--minutes (119|120|121)$' out || fail "no way to continue: $(<out)"
echo 20.0 >score

# After four minutes another program starts and slows down training. The script then takes more time, but not more than
# the limit.
starts '0 4600\n4 1000'
is_trained small 5796
starts '0 4600\n4 300'
is_trained small 3679
grep -Eq 'training: .* \(57[0-9]+ were planned, but the machine has become slower\)' log || fail "no message about it: $(<log)"

# A limit is kept; with a higher limit, a second call continues with the same model.
starts '0 12000' --minutes 5
is_trained small 7560
starts '0 12000\n2 3000' --minutes 5
is_trained small 4158
"$quickstart" --out run --minutes 10 >out 2>log || fail "$(<log)"
is_trained small 6048

# On a slow machine, the Multi30k example makes the usual number of updates of the small model. If the machine is too
# slow for half of them, or has too little time, it trains the tiny one.
export tiny=4
mkdir texts
for part in train valid test2016; do
  seq 10 >"texts/$part.en"
  seq 10 >"texts/$part.de"
done
trains_captions() { # SPEEDS OPTION...
  printf '%b\n' "$1" >speeds
  rm -rf run
  "$examples/multi30k/run.sh" --data texts --out run "${@:2}" >out 2>log || fail "$(<log)"
}
trains_captions '0 1000'
is_trained small 3600
grep -q '^expected: BLEU 38 or more' log || fail "nothing is said of what to expect: $(<log)"
looks=$(grep -c '^== .*training: [0-9]* of' log)
((5 < looks && looks < 16)) || fail "it has looked $looks times at a training of an hour"
trains_captions '0 400'
is_trained small 2880
grep -q '^expected: BLEU 34 or more' log || fail "nothing is said of what to expect: $(<log)"
trains_captions '0 200'
is_trained tiny 1200
grep -q '^expected: BLEU 29 or more' log || fail "nothing is said of what to expect: $(<log)"
trains_captions '0 1000' --minutes 10
is_trained tiny 2400
