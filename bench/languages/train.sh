#!/usr/bin/env bash
# Makes the model by which nmt detects languages, src/data/assets/languages.ftz, from translations in packages of
# Debian: descriptions of packages, messages of programs, and manual pages. It holds weights only, no text.
# usage: train.sh FOLDER        in Debian 12, with the packages fasttext and python3; takes 1 GB in FOLDER
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
folder=$1
mkdir -p "$folder"/{debs,lists/partial}
cd "$folder"

# The packages (330 MB) and, for the descriptions, all translations of the index of packages (37 MB).
manuals=(cs da de el es 'fi' fr hu id it ja mk nb nl pl pt pt-br ro ru sr sv tr uk vi zh)
languages=(bg ca cs da de de_DE el en eo es eu 'fi' fr gl hr hu id it ja km ko nb nl pl pt pt_BR ro ru sk sr sv tr uk vi
  zh zh_CN zh_TW)
if [ -z "$(ls debs)" ]; then
  apt-get update -o Dir::State::lists="$PWD/lists" -o Acquire::Languages="$(IFS=,; echo "${languages[*]}")"
  mapfile -t office < <(apt-cache search --names-only '^libreoffice-l10n-' | cut -d' ' -f1 | grep -v -e '-in$' -e '-za$')
  (cd debs && apt-get download "${office[@]}" "${manuals[@]/#/manpages-}" wesnoth-1.16-data gnome-user-docs gramps \
    evolution-common gnucash-common pidgin-data plasma-workspace-data freeciv-data vlc-l10n aisleriot nautilus-data \
    gnome-control-center-data)
fi

"$here/collect.py" .
"$here/prepare.py" train.tsv >train.txt
# One thread, so that the same text makes the same model.
fasttext supervised -input train.txt -output languages -dim 16 -minn 1 -maxn 4 -minCount 30 -bucket 1000000 -lr 0.5 \
  -epoch 4 -thread 1 -seed 1
fasttext quantize -input train.txt -output languages -qnorm -retrain -cutoff 65000 -lr 0.2 -epoch 1 -thread 1
cp languages.ftz "$here/../../src/data/assets/languages.ftz"
