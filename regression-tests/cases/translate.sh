#!/usr/bin/env bash
# Each input line gives one output line, whatever the other lines are and however they arrive.
. "$(dirname "$0")/../lib.sh"
make_model

translate() { nmt translate -m model.safetensors --quiet "$@"; }

# The order of the input is kept, and empty lines stay in place.
translate <test.src >test.out
equal "$(wc -l <test.out)" 50 "lines"
{ sed -n 7p test.src && echo && sed -n 3p test.src && echo; } >mixed
{ sed -n 7p test.out && echo && sed -n 3p test.out && echo; } >expected
translate <mixed >mixed.out
same mixed.out expected
translate </dev/null >nothing
[[ ! -s nothing ]] || fail "translated nothing into something"

# A loaded model does not depend on its file, which may be overwritten.
cp model.safetensors overwritten.safetensors
mkfifo lines
nmt translate -m overwritten.safetensors --flush --quiet <lines >answers &
translating=$!
exec 3>lines
head -n 1 test.src >&3
until [[ -s answers ]]; do sleep 0.05; done
: >overwritten.safetensors
tail -n +2 test.src >&3
exec 3>&-
wait $translating
same answers test.out

# Lines do not affect each other.
translate --batch-tokens 1 <test.src >one.out
same test.out one.out
translate --batch-tokens 100000 <test.src >many.out
same test.out many.out
tac test.src | translate | tac >reversed.out
same test.out reversed.out
printf %s "$(<test.src)" | translate >unended.out
same test.out unended.out

# The sentences of a line are translated separately, and keep the white space between them.
sed 's/$/!/' test.src >sentences
translate <sentences | paste -d ' ' - - - - - >expected
paste -d ' ' - - - - - <sentences | translate --split sentences >paragraphs.out
same expected paragraphs.out
refuses 2 "exclude each other" translate --split sentences --n-best 2 --alternatives </dev/null
# The n-best list of a line joins the n-best lists of its sentences, rank by rank.
translate --n-best 2 <sentences | awk -F ' [|][|][|] ' '{ text[NR % 2, $1] = $2 }
  END { for (i = 0; i < NR / 2; ++i) print text[1, i] "\t" text[0, i] }' >lists
paste -d ' ' - - <sentences | translate --n-best 2 --split sentences | awk -F ' [|][|][|] ' '{ print $2 }' >joined
paste - - <lists | awk -F '\t' '{ print $1 " " $3; print $2 " " $4 }' >expected
same expected joined
# An empty line also gets a list, if its request asks for one.
printf '%s\n' '{"text": "", "n_best": 2}' '{"text": "Ba bu.", "n_best": 2}' '{"text": "Ba bu."}' |
  translate --input-format jsonl --output-format jsonl |
  python3 -c 'import json, sys
for line in sys.stdin: print(len(json.loads(line).get("n_best", [])))' >found
equal "$(paste -s -d ' ' found)" "1 2 0" "lists of n best"
# --alignment without a value means hard.
head -n 3 test.src | translate --alignment hard >expected
head -n 3 test.src | translate --alignment >found
same expected found
translate --beam 3 --n-best 2 <mixed >expected
translate --beam 3.0 --n-best 2.0 --batch-tokens 1e3 <mixed >found
same found expected
refuses 2 "'englisch' is not a language code" translate --split sentences --split-language englisch </dev/null
refuses 2 "split-language" translate --split-language en </dev/null
refuses 2 "abbreviations" translate --split none --abbreviations list </dev/null

# Sentences end by the rules of their language, and not after the user's abbreviations.
printf '%s\n' 'Ba bu.' 'Bi bo 11.' 'Ba bi.' | translate >parts
printf '%s\n' 'Ba bu. Bi bo 11.' 'Bi bo 11. Ba bi.' | translate >wholes
splits() { echo 'Ba bu. Bi bo 11. Ba bi.' | translate --split sentences "$@"; }
equal "$(splits --split-language en)" "$(paste -s -d ' ' parts)" "sentences in English"
equal "$(splits --split-language de)" "$(head -n 1 parts) $(tail -n 1 wholes)" "sentences in German"
printf 'bu # a comment\n' >list
equal "$(splits --split-language en --abbreviations list)" "$(head -n 1 wholes) $(tail -n 1 parts)" "abbreviations"
echo '#NUMERIC_ONLY#' >list
refuses 2 "'list', line 1: no abbreviation before" translate --split sentences --abbreviations list </dev/null
exits 1 translate --split sentences --abbreviations none </dev/null 2>err
grep -q "^error: .*'none'" err || fail "$(<err)"
equal "$(echo 'Ba bu. Bi bo 11.' | translate --split none)" "$(head -n 1 wholes)" "not split"

# The lines that a pipe has delivered are answered before further lines arrive.
mkfifo questions replies
translate <questions >replies &
translating=$!
exec 3>questions 4<replies
for line in 1 2,4 5; do
  sed -n ${line}p test.src >&3
  for ((left = $(sed -n ${line}p test.src | wc -l); left > 0; --left)); do
    IFS= read -r -u 4 reply
    echo "$reply"
  done
done >replied.out
exec 3>&-
wait $translating
equal "$(cat <&4)" "" "replies to nothing"
exec 4<&-
same <(head -n 5 test.out) replied.out
refuses 1 "cannot read .standard input.: Bad file descriptor; it is closed; connect it to" translate <&-

# A wider beam may change translations; printing scores never does.
translate --beam 1 <test.src >greedy.out
translate --beam 4 <test.src >beam.out
same test.out beam.out
for beam in 1 4; do
  translate --beam $beam --scores <test.src >scored.out
  [[ $(grep -Ecv $'^-?[0-9]+\\.[0-9]{6}\t' scored.out) == 0 ]] || fail "scores look otherwise: $(head -n 1 scored.out)"
  cut -f 2- scored.out >texts
  same texts "$([[ $beam == 1 ]] && echo greedy.out || echo beam.out)"
done

# Patience ends a search early. It changes nothing if no hypothesis continues after the first end.
translate --patience 0.25 <test.src >impatient.out
equal "$(wc -l <impatient.out)" 50 "lines"
translate --beam 1 --patience 5 <test.src >patient.out
same greedy.out patient.out
nmt translate -m model.safetensors --patience 0 </dev/null 2>message && fail "took a patience of 0"
grep -q -- --patience message || fail "says: $(<message)"

# Alignments follow translations, which do not change, and do not depend on other lines.
translate --alignment hard <mixed >aligned.out
same <(sed 's/ ||| .*//' aligned.out) mixed.out
grep -Evq '^[^|]* \|\|\| [0-9]+-[0-9]+( [0-9]+-[0-9]+)*$|^ \|\|\| $' aligned.out && fail "looks otherwise: $(<aligned.out)"
awk -F ' [|][|][|] ' '{ if (split($1, words, " ") != split($2, points, " ")) exit 1 }' aligned.out ||
  fail "not every word of a translation has its point"
translate --alignment soft <test.src >soft.out
translate --alignment soft --batch-tokens 1 <test.src >alone.out
same soft.out alone.out
paste -d '|' test.src soft.out | awk -F '[|]+' '{ # as many weights as words and ends, which sum to 1
    if (split($3, rows, " ") != split($2, words, " ") + 1) exit 1
    for (i in rows) {
      columns = split(rows[i], weights, ",")
      if (columns != split($1, words, " ") + 1) exit 1
      sum = 0
      for (j in weights) sum += weights[j]
      if (sum < 0.999 || sum > 1.001) exit 1
    }
  }' || fail "no soft alignment: $(head -n 1 soft.out)"
# A line without pieces has no links, whatever characters it consists of. White space is restored. Anything except ASCII
# white space is a word, which here has no weight.
printf '%s\n' '' ' ' $'\t ' $'\xc2\xa0' $'\xe2\x80\x8b' >nothing.src
printf '%s\n' '' ' ' $'\t ' $'\xc2\xa0' '' >nothing.out
for form in hard 0.2 soft; do
  weights='s/$/ ||| /'
  [[ $form != soft ]] || weights='1,3s/$/ ||| 1/; 4s/$/ ||| 0,0 0,1/; 5s/$/ ||| 0,1/'
  equal "$(translate --alignment $form <nothing.src)" "$(sed "$weights" nothing.out)" "nothing, $form"
  equal "$(translate --alignment $form --scores <nothing.src)" "$(sed "s/^/0.000000\t/; $weights" nothing.out)" "nothing, $form"
  equal "$(translate --alignment $form --n-best 2 <nothing.src | cut -d ' ' -f 2-)" \
    "$(sed "s/^/||| /; $weights; s/$/ ||| 0.000000/" nothing.out)" "nothing, $form"
done
cat nothing.src test.src | translate --alignment soft | tail -n +6 >beside.out
same beside.out soft.out
translate --alignment 0.2 --n-best 2 <mixed | contains -Ev '^[0-9]+ \|\|\| .*\|\|\| ([0-9]+-[0-9]+ ?)* \|\|\| -?[0-9.]+$' &&
  fail "n-best lists look otherwise"
refuses 2 "alignment 'hart': expected hard, soft" translate --alignment hart <test.src
refuses 2 "alignment-layer 2: the decoder has 1 layer" translate --alignment hard --alignment-layer 2 <test.src
refuses 2 "give --alignment" translate --alignment-head 1 <test.src

# Length limits are kept.
translate --max-length-factor 0 --max-length-extra 2 --beam 1 <test.src | awk 'NF > 2 { exit 1 }' ||
  fail "longer than the limit"

# A warning counts invalid UTF-8.
printf 'the qes ned \xff ves .\n' | nmt translate -m model.safetensors >bad.out 2>bad.err
equal "$(wc -l <bad.out)" 1 "lines"
grep -q '^warning: .*UTF-8' bad.err || fail "no warning of invalid bytes: $(<bad.err)"

# It also counts zero bytes, anywhere, in every command that reads text.
{ cat test.src && printf 'the \0qes\0 ned\n' && cat test.src; } >zero.src
translate -i zero.src >zero.out 2>zero.err
same <(head -n 50 zero.out) test.out
same <(tail -n 50 zero.out) test.out
equal "$(wc -l <zero.out)" 101 "lines"
equal "$(<zero.err)" "warning: zero.src: 2 invalid UTF-8 bytes replaced" "warnings"
nmt vocab -i zero.src -o zero.spm --type word --size 20 --quiet
nmt batch --source zero.src --target zero.src --no-drop-identical --vocab words.spm -o zero.nmtc --quiet 2>zero.err
nmt score -m model.safetensors --source zero.src --target zero.src --quiet 2>>zero.err | tail -n 50 >scores
nmt bleu zero.src -i zero.src -b --force 2>>zero.err >>scores
equal "$(sort zero.err | uniq -c | tr -s ' ')" " 6 warning: zero.src: 2 invalid UTF-8 bytes replaced" "warnings of others"
equal "$(wc -l <scores)" 51 "scores"
for order in LE BE; do
  iconv -t UTF-16$order test.src >wide.src
  refuses 1 "wide.src' is UTF-16$order, not UTF-8; convert it" translate -i wide.src
done

# The reader of the output is gone, or it cannot be written.
status=0
translate <test.src 2>closed.err | true || status=${PIPESTATUS[0]}
((status == 1 || status == 141)) || fail "exit code $status when nobody reads"
(($(wc -l <closed.err) <= 1)) || fail "many words about a closed pipe: $(<closed.err)"
exits 1 translate <test.src >/dev/full 2>full.err
equal "$(wc -l <full.err)" 1 "lines on stderr about a full disk"
grep -q '^error: cannot write' full.err || fail "about a full disk: $(<full.err)"

refuses 1 "missing" nmt translate -m missing <test.src
refuses 2 "beam" nmt translate -m model.safetensors --beam 0 <test.src
refuses 2 "did you mean '--beam'" nmt translate -m model.safetensors --baem 4 <test.src
refuses 2 "model" nmt translate <test.src

# A missing model is reported before any input is read.
mkfifo typing
exec 3<>typing
refuses 1 "missing" timeout 60 "$NMT" translate -m missing <&3
