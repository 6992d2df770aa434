#!/usr/bin/env bash
# Builds CPython from the sources of a release of Debian, so that release.sh can make wheels for versions that this system does
# not have. It takes three minutes on two cores, and a network.
# usage: cpython.sh VERSION SUITE DIR
#   VERSION  such as 3.13
#   SUITE    the release of Debian that has it, such as trixie
#   DIR      where to install it; the interpreter is DIR/bin/pythonVERSION
set -euo pipefail
usage="usage: cpython.sh VERSION SUITE DIR"
version=${1:?$usage} suite=${2:?$usage}
mkdir -p "${3:?$usage}"
prefix=$(cd "$3" && pwd)
"$(dirname "${BASH_SOURCE[0]}")/../examples/install-packages.sh" dpkg-dev libbz2-dev libffi-dev libssl-dev zlib1g-dev

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir -p "$work/lists/partial"
# From where this system gets its packages.
# shellcheck disable=SC2016 # a format of apt
mirror=$(apt-get indextargets --format '$(REPO_URI)' 'Label: Debian' | sort --unique | head -n 1)
echo "deb-src [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] ${mirror:?no package list of Debian} $suite main" \
  >"$work/sources.list"
cd "$work"
# With lists of its own, so that the system's remain as they are.
apt=(apt-get --quiet -o "Dir::Etc::SourceList=$work/sources.list" -o Dir::Etc::SourceParts=- -o "Dir::State::Lists=$work/lists"
  -o APT::Sandbox::User=root)
"${apt[@]}" update
"${apt[@]}" source "python$version"
cd "python$version"-*/
./configure --quiet --prefix="$prefix" --disable-test-modules --with-ensurepip=no # only environments have pip, as in Debian
make --quiet --jobs="$(nproc)"
make --quiet install
"$prefix/bin/python$version" -c 'import ctypes, ssl, sys, zlib; print(sys.version)'
