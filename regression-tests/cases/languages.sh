#!/usr/bin/env bash
# Models of several languages: those trained here, which read a token of the target language before the source, and
# those of other toolkits that are trained further.
. "$(dirname "$0")/../lib.sh"
make_text
# The second language has the words of the first in reverse order.
backwards() { awk '{ for (i = NF; i > 0; --i) printf "%s%s", $i, (i > 1 ? " " : "\n") }' "$1"; }
backwards train.tgt >train.rev
backwards test.tgt >test.rev
nmt vocab -i train.src -i train.tgt -o pieces.spm --type bpe --size 67 --languages fo,re_V --quiet
equal "$(nmt info pieces.spm | sed -n 's/^languages *//p')" "fo re_V"
pack() { nmt batch --vocab "$1" --source train.src --target train."$2" --target-language "$3" -o "$3".nmtc --quiet; }
pack pieces.spm tgt fo
pack pieces.spm rev re_V

# A model of both languages is validated in one of them and translates into it by default; an option or the text selects
# the other.
nmt train "${small[@]}" --train fo.nmtc --train re_V.nmtc --valid-source test.src --valid-target test.tgt --steps 200 \
  --target-language fo -o run --quiet
translated() { nmt translate -m run --beam 1 --quiet "$@"; }
bleu() { nmt bleu --score-only "$1"; }
translated --target-language fo <test.src >fo.out
translated --target-language re_V <test.src >re_V.out
for language in fo re_V; do
  right=test.tgt other=test.rev
  [[ $language == fo ]] || right=test.rev other=test.tgt
  holds "$(bleu $right <$language.out) > 15 && $(bleu $other <$language.out) < 8"
done
translated <test.src | cmp - fo.out
{ sed 's/^/>>fo<< /' test.src && sed 's/^/>>re_V<< /' test.src; } >both.src
translated --target-language re_V <both.src | cmp - <(cat fo.out re_V.out)
# The token of a language applies to all sentences of a line, and to all parts of a line that is too long.
paste -d ' ' <(sed -n '1~2p' test.src) <(sed -n '2~2p' test.src) | sed 's/^/>>fo<< /' >pairs.src
paste -d ' ' <(sed -n '1~2p' fo.out) <(sed -n '2~2p' fo.out) >pairs.out
translated --target-language re_V --split sentences --split-language fo <pairs.src | cmp - pairs.out
grep -q '"event":"valid"' run/metrics.jsonl || fail "no validation"

# A run keeps its languages when it continues, and the vocabulary of its model packs more text.
refuses 2 "the run in 'run' has target_language fo, not re_V" nmt train -o run --target-language re_V --steps 210
nmt train -o run --target-language FO --steps 201 --quiet # the same language
nmt info run --json --quiet | tr -d ' \n' | contains '"target_language":"fo"' || fail "the language is spelled in another way"
translated <test.src >more.out
holds "$(bleu test.tgt <more.out) > 15"
mv fo.nmtc once.nmtc
for model in run run/last.safetensors; do # whose usual language it is
  nmt batch --vocab $model --source train.src --target train.tgt -o fo.nmtc --quiet 2>warning
  same fo.nmtc once.nmtc
  equal "$(<warning)" ""
done
size=$(stat -c %s once.nmtc)

# Unpacked text gives the same run as packed text.
tune() {
  nmt train --from-weights run --dropout 0 --warmup 100 --batch-tokens 500 --steps 3 --log-every 1 --precision f32 --quiet \
    --target-language re_V "$@"
}
tune --train re_V.nmtc -o packed
tune --source train.src --target train.rev -o text
same <(metrics packed) <(metrics text)

# A run whose vocabulary came from another one continues without the other one.
nmt train "${small[@]}" --vocab other-run/ --source train.src --target train.tgt --steps 1 -o x --quiet 2>/dev/null &&
  fail "there is no such run"
cp -r run other-run
nmt train "${small[@]}" --vocab other-run/ --source train.src --target train.tgt --steps 1 -o from-run --quiet
equal "$(nmt info from-run --json --quiet | tr -d ' \n' | grep -o '"target_language":"[a-z]*"' | sort -u)" '"target_language":"fo"'
rm other-run/*.safetensors
nmt train -o from-run --steps 2 --quiet

# A warning counts sources that name no language.
nmt batch --vocab pieces.spm --source train.src --target train.tgt -o plain.nmtc --quiet 2>warning
grep -q "^warning: 500 of 500 sources have no language token.*--target-language" warning || fail "got: $(<warning)"
holds "$size < $(stat -c %s plain.nmtc) + 2000" # one vocabulary in each
nmt train "${small[@]}" --train once.nmtc --valid-source test.src --valid-target test.tgt --steps 1 -o untold --quiet 2>warning
grep -q "^warning: 'test.src': 50 of 50 sources have no language token" warning || fail "got: $(<warning)"
nmt train -o untold --steps 2 --target-language fo 2>warning && fail "another language was taken"
grep -q "has target_language none, not fo" warning || fail "got: $(<warning)"

refuses 2 "target_language. 'x' is not a language of the model: fo, re_V|--target-language 'x' is not" \
  nmt batch --vocab pieces.spm --source train.src --target train.tgt --target-language x -o no.nmtc
refuses 2 "does not use the language of its source" \
  nmt batch --vocab pieces.spm --source train.src --target train.tgt --source-language fo -o no.nmtc
make_vocabulary
refuses 2 "'fo': the vocabulary has no language tokens" \
  nmt train --vocab words.spm --source train.src --target train.tgt --target-language fo -o no
refuses 2 "'fo': the source vocabulary has no language tokens" nmt train --source-vocab words.spm --target-vocab pieces.spm \
  --source train.src --target train.tgt --tied-embeddings none --target-language fo -o no
refuses 2 "'fo': the source vocabulary has no language tokens" nmt train --type lm --vocab pieces.spm --target train.tgt --target-language fo -o no
refuses 2 "a language model has no source; leave it out" nmt train --type lm --vocab pieces.spm --target train.tgt --source-language fo -o no
refuses 2 "'d\+' is not a language code" nmt vocab -i train.src -o no.spm --languages 'd+'
[[ ! -e no && ! -e no.nmtc && ! -e no.spm ]] || fail "a refused command left something"

# Models that usually translate several languages need a language.
tune --train re_V.nmtc -o other
both() { nmt translate -m run -m other --quiet "$@" <test.src; }
refuses 2 "different default languages; name those of the text with --source-language and --target-language" both
both --target-language fo >both.out
cmp -s both.out <(both --target-language re_V) && fail "the language has no bearing"

nmt train --type lm --vocab pieces.spm --target train.tgt --steps 1 --batch-tokens 500 --quiet -o language-model

# NLLB needs both languages. Training that changes nothing starts with the loss that nmt score prints.
nllb=${NMT_REFERENCE_DATA:-}/foreign/huggingface/nllb
[[ -d $nllb ]] || skip "no NMT_REFERENCE_DATA with foreign/huggingface/nllb for the rest"
refuses 2 "'$nllb' is a model of Hugging Face.*nmt convert" \
  nmt batch --vocab "$nllb" --source train.src --target train.tgt -o no.nmtc
nmt convert "$nllb" -o nllb.safetensors --quiet
languages=(--source-language eng_Latn --target-language fra_Latn)
nmt train --from-weights nllb.safetensors --source train.src --target train.tgt "${languages[@]}" --steps 1 -o tuned \
  --batch-tokens 100000 --dropout 0 --label-smoothing 0 --precision f32 --quiet
expected=$(nmt score -m nllb.safetensors --source train.src --target train.tgt "${languages[@]}" --summary perplexity)
found=$(sed -n 's/.*"event":"train".*"perplexity":\([0-9.]*\).*/\1/p' tuned/metrics.jsonl)
holds "sqrt(($found - $expected) ^ 2) < 1e-4 * $expected"
# The model's search defaults are kept, but its default languages become those of the run.
settings() { nmt info "$1" | sed -n '/^decoding/,/^[a-z]/p' | grep '^ '; }
equal "$(settings tuned/last.safetensors)" "$(settings nllb.safetensors | sed 's/deu_Latn/fra_Latn/')"
nmt translate -m tuned --quiet <test.src >usual.out
nmt translate -m tuned "${languages[@]}" --quiet <test.src | cmp - usual.out
nmt batch --vocab nllb.safetensors --source train.src --target train.tgt "${languages[@]}" -o french.nmtc --quiet
nmt batch --vocab nllb.safetensors --source train.src --target train.tgt -o usual.nmtc --quiet
cmp -s french.nmtc usual.nmtc && fail "the languages have no bearing"
nmt train --from-weights nllb.safetensors --train french.nmtc "${languages[@]}" --steps 1 -o packed-nllb \
  --batch-tokens 100000 --dropout 0 --label-smoothing 0 --precision f32 --quiet
same <(metrics tuned) <(metrics packed-nllb)
# A language model trained on these targets starts with the token of their language.
nmt batch --vocab nllb.safetensors --target train.tgt --target-language fra_Latn -o targets.nmtc --quiet
lm=(--type lm --d-model 64 --d-ff 128 --heads 4 --decoder-layers 1 --steps 2 --batch-tokens 500 --log-every 1 --quiet)
nmt train "${lm[@]}" --train targets.nmtc --target-language fra_Latn -o lm-packed
nmt train "${lm[@]}" --vocab nllb.safetensors --target train.tgt --target-language fra_Latn -o lm
same <(metrics lm) <(metrics lm-packed)
nmt score -m lm --target train.tgt --quiet >usual
nmt score -m lm --target train.tgt --target-language fra_Latn --quiet | cmp - usual
refuses 2 "takes no language" nmt score -m language-model --target train.tgt --target-language fo --quiet
