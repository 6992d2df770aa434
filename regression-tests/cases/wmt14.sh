#!/usr/bin/env bash
# The WMT14 example on a small scale: from archives as on its site, killed in training and resumed; and from a folder.
. "$(dirname "$0")/../lib.sh"
wmt14=$(cd "$(dirname "$0")/../../examples/wmt14" && pwd)/run.sh
set -m # so that a script is killed with all its children

# Three parts of training text, the news, and a reference with entities, with the file names of the site.
sgm() { # COLUMN <TEXT
  echo '<refset setid="newstest2014" srclang="any" trglang="de">'
  sed 's/&/\&amp;/g; s/"/\&quot;/g' | awk '{ printf "<seg id=\"%d\">%s</seg>\n", NR, $0 }'
  echo '</refset>'
}
mkdir -p site/wmt13 site/wmt14 training dev test-full
pairs 4711 500 >pairs
for language in en de; do
  if [[ $language == en ]]; then column=1 kind=src; else column=2 kind=ref; fi
  cut -f $column pairs >sides
  sed -n 1,200p sides >training/europarl-v7.de-en.$language
  sed -n 201,300p sides | sed 's/ /\t /' >commoncrawl.de-en.$language
  { sed -n 301,400p sides && echo; } >training/news-commentary-v9.de-en.$language
  sed -n 401,440p sides >dev/newstest2013.$language
  { sed -n 441,479p sides && echo 'R&D "quoted" &lt;'; } >test.$language
  sgm <test.$language >test-full/newstest2014-deen-$kind.$language.sgm
done
tar -czf site/wmt13/training-parallel-europarl-v7.tgz training/europarl-v7.*
tar -czf site/wmt13/training-parallel-commoncrawl.tgz commoncrawl.*
tar -czf site/wmt14/training-parallel-nc-v9.tgz training/news-commentary-v9.*
tar -czf site/wmt14/dev.tgz dev
tar -czf site/wmt14/test-full.tgz test-full

export WMT_SITE=file://$PWD/site
tiny=(--d-model 64 --d-ff 128 --encoder-layers 1 --decoder-layers 1 --warmup 100 --batch-tokens 500 --dropout 0
  --log-every 1)
in_small() { # OPTION...
  "$wmt14" --preset transformer-tiny --vocab-size 60 --out run "$@" -- "${tiny[@]}"
}

# A failed download leaves no file.
cp site/wmt14/dev.tgz whole
head -c 500 whole >site/wmt14/dev.tgz
exits 1 in_small --steps 10 2>log
grep -q "^error: cannot download .*dev.tgz" log || fail "said of a broken archive: $(<log)"
equal "$(cd run/downloads && echo dev*)" 'dev*' "downloads"
mv whole site/wmt14/dev.tgz

# Killed in training.
in_small --steps 400 2>log &
until [[ -e run/transformer-tiny/last.safetensors ]]; do
  kill -0 $! || fail "ended before a checkpoint: $(<log)"
  sleep 0.1
done
kill -KILL -- -$!
exits 137 wait $!
equal "$(zcat run/train.en.gz | wc -l)" 400 "training pairs"
! zcat run/train.en.gz | contains $'\t' || fail "a tab is left in the training text"
same run/news/test.en test.en
same run/news/test.de test.de

# Resumed: finished stages are not repeated, training ends, and the other stages follow.
sha256sum run/train.* run/shared.spm >made
mv site gone
in_small --steps 400 >out 2>log || fail "$(<log)"
sha256sum --check --quiet made
! grep -Eq '^== .* (cleaning|vocabulary|packing)$' log || fail "a finished stage was run again: $(<log)"
grep -q '^test: BLEU' out || fail "no BLEU: $(<out)"
for stage in download cleaning vocabulary packing training averaging translation; do
  grep -Eq "^ *[0-9]+ s  $stage( |$)" out || fail "no time of $stage: $(<out)"
done
equal "$(wc -l <run/transformer-tiny.de)" 40 "lines translated"

# From a folder of compressed files; sides of different length are refused.
mkdir texts
xz -c training/europarl-v7.de-en.en >texts/train.en.xz
gzip -c training/europarl-v7.de-en.de >texts/train.de.gz
cp dev/newstest2013.en texts/valid.en && cp dev/newstest2013.de texts/valid.de
cp test.en test.de texts
"$wmt14" --data texts --preset transformer-tiny --vocab-size 60 --steps 10 --out folder -- "${tiny[@]}" >out 2>log ||
  fail "$(<log)"
grep -q '^test: BLEU' out || fail "no BLEU: $(<out)"
sed '$d' training/europarl-v7.de-en.en | xz >texts/train.en.xz
exits 1 "$wmt14" --data texts --preset transformer-tiny --vocab-size 60 --steps 10 --out folder 2>log
grep -q "^error: one side of the training text ends before line 200" log || fail "said of unequal sides: $(<log)"

refuses 1 "holds no valid.fr" "$wmt14" --data texts --pair en-fr --out french
refuses 2 "only en-de and en-fr can be downloaded" "$wmt14" --pair en-cs
refuses 2 "steps" "$wmt14" --steps 0
refuses 2 "unknown option '--step'" "$wmt14" --step 3
