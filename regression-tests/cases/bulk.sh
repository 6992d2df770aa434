#!/usr/bin/env bash
# A text in parts: joined, they equal the whole, bit for bit, and killed workers lose only their part.
. "$(dirname "$0")/../lib.sh"
make_model
bulk=$(cd "$(dirname "$0")/../../examples/bulk" && pwd)

# Random numbers and n-best lists use the numbers of lines in the whole text.
cut -d ' ' -f 1 test.tgt >test.prefix
parts() { # COMMAND...
  "$@" >whole
  for i in 1 2 3 4; do "$@" --shard $i/4; done >parts
  same parts whole
}
parts nmt translate -m model.safetensors --quiet -i test.src
parts nmt translate -m model.safetensors --quiet -i test.src --sample --seed 3 --n-best 2
parts nmt translate -m model.safetensors --quiet -i test.src --prefix test.prefix --output-format jsonl
parts nmt score -m model.safetensors --quiet --source test.src --target test.tgt --per-token
paste test.src test.tgt >test.tsv
parts nmt score -m model.safetensors --quiet --tsv test.tsv
nmt translate -m model.safetensors --quiet -i test.src --shard 60/60 >whole
nmt translate -m model.safetensors --quiet -i test.src | tail -n 1 >parts
same parts whole
head -n 1 test.src >one
equal "$(nmt translate -m model.safetensors --quiet -i one --shard 1/2)" "" "lines where there are fewer than parts"

# Errors name the line by its number in the whole text.
{ head -n 49 test.src && echo '{'; } | sed '1,49 s/.*/{"text": "&"}/' >test.jsonl
exits 1 nmt translate -m model.safetensors --quiet -i test.jsonl --input-format jsonl --shard 4/4 >out 2>error
grep -q "^error: 'test.jsonl', line 50: " error || fail "got: $(<error)"
head -n 49 test.tgt >short.tgt
refuses 1 "'test.src' has 50 lines, but 'short.tgt' has 49" \
  nmt score -m model.safetensors --quiet --source test.src --target short.tgt --shard 1/4
refuses 2 "counts the lines of a file .* impossible with standard input; write the text to a file" nmt translate -m model.safetensors --shard 1/2
refuses 2 "is not a part of a text" nmt translate -m model.safetensors -i test.src --shard 3/2
refuses 2 "--shard and --summary exclude each other" \
  nmt score -m model.safetensors --source test.src --target test.tgt --shard 1/2 --summary all

# A stand-in for nmt that is killed when it starts part 2 or 3; with part 3, its worker is killed as well.
nmt translate -m model.safetensors --quiet -i test.src >whole
cat >killed <<'END'
#!/usr/bin/env bash
shard=$(sed 's/.*--shard \([0-9]*\).*/\1/' <<<"$*")
echo "$shard" >>calls
if [[ $shard == 2 ]] && mkdir killed-2 2>/dev/null; then kill -KILL $$; fi
if [[ $shard == 3 ]] && mkdir killed-3 2>/dev/null; then kill -KILL "$PPID" $$; fi
exec "$program" "$@"
END
chmod +x killed
program=$NMT
export program
NMT=$PWD/killed "$bulk/run.sh" --workers 2 --shards 6 test.src text -m model.safetensors --quiet 2>err ||
  fail "does not come to its end: $(<err)"
same text whole
equal "$(sort calls | uniq -c | awk '{ printf "%s:%s ", $2, $1 }')" "1:1 2:2 3:2 4:1 5:1 6:1 " "calls for each part"
[[ ! -e text.shards ]] || fail "left $(ls text.shards)"

# Jobs of an array, in any order, with the same settings.
export SLURM_SUBMIT_DIR=$bulk/../.. SLURM_ARRAY_TASK_MAX=3
job() { # I OPTION...
  SLURM_ARRAY_TASK_ID=$1 "$bulk/translate.sbatch" "$PWD/test.src" "$PWD/text.gz" -m "$PWD/model.safetensors" --quiet "${@:2}"
}
job 3
job 1
exits 1 job 2 --beam 1 2>err
grep -q "text.gz.shards' holds parts .* from another input, number of parts or settings" err || fail "got: $(<err)"
[[ ! -e text.gz ]] || fail "put together too early"
job 2
gzip -dc text.gz >text
same text whole
