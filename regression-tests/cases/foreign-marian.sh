#!/usr/bin/env bash
# Models of Marian translate and score as Marian does, and go back to it.
. "$(dirname "$0")/../lib.sh"
models=${NMT_REFERENCE_DATA:-}/foreign/marian
[[ -d $models ]] || skip "NMT_REFERENCE_DATA names no folder with foreign/marian"

# Checks that the first numbers on the lines of two files differ by less than 1e-4.
close() { # FILE FILE
  paste <(cut -d ' ' -f 1 "$1") <(cut -d ' ' -f 1 "$2") >pairs
  holds "$(awk '{ d = $1 - $2; if (d < 0) d = -d; if (d > most) most = d } END { printf "%.6f", most }' pairs) < 1e-4"
  equal "$(wc -l <pairs)" 100 "lines of scores"
}

# Translations are those of Marian. Marian limited all lines of a batch by the longest one, so lines that the limit
# truncates here may be longer there: a few, since the model has learned to end sentences.
least=80
translates() { # MODEL EXPECTED OPTIONS...
  nmt translate -m "$1" -i "$models/in.en" --quiet "${@:3}" >translated
  nmt translate -m "$1" -i "$models/in.en" --quiet --max-length-factor 20 "${@:3}" >free
  paste -d '\n' translated free "$2" | awk -v least=$least '
    NR % 3 == 1 { ours = $0 } NR % 3 == 2 { free = $0 }
    NR % 3 == 0 && ours == free { ++same; if (ours != $0) { print "line " NR / 3 ": " ours " | " $0; bad = 1 } }
    END { if (same < least) { print same " lines within the limit"; bad = 1 } exit bad }' >differences ||
    fail "$1, ${*:3}: $(<differences)"
}

for name in transformer-post aan ssru-tied; do
  nmt convert "$models/$name/model.npz" --vocab "$models/joint.spm" -o $name.safetensors --quiet
  translates $name.safetensors "$models/$name/beam4.txt" --beam 4 --length-penalty 0.6
  translates $name.safetensors "$models/$name/greedy.txt" --beam 1
done
# When Marian 1.12 decodes, self-attention sees past inputs without normalization if the normalization comes before the
# layer, unlike in training and scoring. So only scores are equal.
nmt convert "$models/transformer-pre/model.npz" --vocab "$models/src.spm" --vocab "$models/trg.spm" \
  -o transformer-pre.safetensors --quiet
for name in transformer-post transformer-pre aan ssru-tied; do
  nmt score -m $name.safetensors --source "$models/in.en" --target "$models/ref.de" --quiet >scores
  close scores "$models/$name/scores.txt"
done

# Models that came from Marian are written unchanged.
nmt convert -m ssru-tied.safetensors --to marian -o back --quiet
nmt score -m back --source "$models/in.en" --target "$models/ref.de" --quiet >again
nmt score -m ssru-tied.safetensors --source "$models/in.en" --target "$models/ref.de" --quiet >scores
same again scores

# Recurrent models, with a GRU and with deep alternating LSTMs that have skip connections and layer normalization. They
# are written unchanged as well.
least=75
for name in s2s-gru s2s-lstm-deep; do
  nmt convert "$models/$name/model.npz" --vocab "$models/joint.spm" -o $name.safetensors --quiet
  translates $name.safetensors "$models/$name/beam4.txt" --beam 4 --length-penalty 0.6
  translates $name.safetensors "$models/$name/greedy.txt" --beam 1
  nmt score -m $name.safetensors --source "$models/in.en" --target "$models/ref.de" --quiet >scores
  close scores "$models/$name/scores.txt"
  nmt convert -m $name.safetensors --to marian -o $name --quiet
  nmt convert $name -o again-$name.safetensors --quiet
  nmt score -m again-$name.safetensors --source "$models/in.en" --target "$models/ref.de" --quiet >again
  same scores again
  for toolkit in huggingface ctranslate2; do
    refuses 1 "type rnn, which cannot be written for $toolkit" nmt convert -m $name.safetensors --to $toolkit -o no
  done
done
least=80
nmt info s2s-lstm-deep.safetensors >facts
grep -q "^ *encoder directions *alternating$" facts || fail "nmt info does not tell the settings"

# Marian's own layout: the configuration next to the weights names vocabularies in the parent folder.
translates "$models/aan/model.npz" "$models/aan/greedy.txt" --beam 1

# A package of OPUS-MT reads and writes raw text, and brings its own beam.
text_of() { sed 's/ //g; s/▁/ /g; s/^ //' "$1"; }
text_of "$models/opus-like/beam6.pieces.txt" >expected
translates "$models/opus-like" expected
text_of "$models/opus-like/greedy.pieces.txt" >expected
translates "$models/opus-like" expected --beam 1
nmt score -m "$models/opus-like/decoder.yml" --source "$models/in.en" --target "$models/ref.de" --quiet >scores
close scores "$models/opus-like/scores.txt"
nmt info "$models/opus-like" | contains "^toolkit *Marian$" || fail "nmt info does not tell the toolkit"

# All of its files may be compressed.
cp -r "$models/opus-like" packed
chmod -R u+w packed
gzip packed/*.npz packed/*.spm packed/*.vocab.yml
translates packed expected --beam 1
gzip packed/decoder.yml
translates packed expected --beam 1
translates packed/decoder.yml.gz expected --beam 1

# Archives as OPUS-MT publishes them: with the names and further files of Tatoeba-MT, in a folder or not, and with lists
# of words instead of YAML.
zipped() { (cd release && python3 -m zipfile -c "../$1" *); }
cp -r "$models/opus-like" release
chmod -R u+w release
name=opusTCv20210807+bt.spm32k-spm32k
mv release/opus.npz "release/$name.transformer-big.model1.npz.best-perplexity.npz"
mv release/opus.vocab.yml "release/$name.vocab.yml"
sed -i "s/opus.npz/$name.transformer-big.model1.npz.best-perplexity.npz/; s/opus.vocab/$name.vocab/" release/decoder.yml
printf '%s\n' "release: eng-deu/opusTCv20210807+bt-2021-12-08.zip" "modeltype: transformer-big" "source-languages:" " - eng" \
  "model: $name.npz" >release/opusTCv20210807+bt-2021-12-08.yml
printf '%s\n' "beam-size: 12" >"release/$name.transformer-big.train1.log"
zipped flat.zip
python3 -m zipfile -c in-folder.zip release
for archive in release flat.zip in-folder.zip; do translates "$archive" expected --beam 1; done
python3 - "release/$name" <<'END'
import json, sys
pairs = [line.rstrip("\n").rsplit(": ", 1) for line in open(sys.argv[1] + ".vocab.yml", encoding="utf-8")]
words = [json.loads(word) for word, _ in sorted(pairs, key=lambda pair: int(pair[1]))]
for side in ("src", "trg"):
    open(f"{sys.argv[1]}.{side}.vocab", "w", encoding="utf-8").writelines(word + "\n" for word in words)
END
rm "release/$name.vocab.yml"
sed -i "0,/$name.vocab.yml/s//$name.src.vocab/; s/$name.vocab.yml/$name.trg.vocab/" release/decoder.yml
zipped lists.zip
translates lists.zip expected --beam 1

# A file that is missing or damaged is named.
cp -r "$models/opus-like" incomplete
chmod -R u+w incomplete
head -c 1000 "$models/opus-like/target.spm" >incomplete/target.spm
refuses 1 "incomplete/target.spm' cannot be used" nmt translate -m incomplete
rm incomplete/target.spm
refuses 1 "'incomplete' has source.spm, but no target.spm, without which translations would be pieces" \
  nmt translate -m incomplete

# Missing files and models that cannot be read.
mkdir moved
cp "$models"/aan/model.npz* moved
refuses 1 "names the source vocabulary 'joint.spm', which does not exist" nmt translate -m moved/model.npz
translates moved/model.npz "$models/aan/greedy.txt" --beam 1 --vocab "$models/joint.spm"
head -c 500000 "$models/aan/model.npz" >cut.npz
refuses 1 "'cut.npz'" nmt convert cut.npz --vocab "$models/joint.spm" -o no
[[ ! -e no ]] || fail "a model was written"
printf '%s\n' '</s>' '<unk>' A >short.txt
nmt convert "$models/aan/model.npz" --vocab short.txt -o short.safetensors --quiet 2>warning
grep -q "'short.txt' has 3 words, but the table of the model has 1000 rows" warning || fail "got: $(<warning)"

# A model with one list of pieces and a SentencePiece model for each side can be trained further, and such a run
# continues.
printf '%s\n' 'A dog runs.' 'Two men talk.' >few.src
printf '%s\n' 'Ein Hund.' 'Zwei.' >few.tgt
tune() { overriding nmt train --source few.src --target few.tgt --batch-tokens 100 --quiet -o tuned "$@"; }
tune --from-weights "$models/opus-like" --steps 1 --log-file messages
tune --steps 2
grep -q '"step":2,' tuned/metrics.jsonl || fail "a run that began with such a model does not go on"
equal "$(grep -c planned: messages)" 1 "what --log-file has of training"
