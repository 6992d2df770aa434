#!/usr/bin/env bash
# Installs the tarball, the wheel and the packages of a release, each in a bare system of its own (a root folder made by
# mmdebstrap), and translates with it. Prints how many seconds each took from its first command to the first translation, and
# ends with an error if a translation is wrong. It takes root, mmdebstrap and a network.
# usage: try.sh DIR [SUITE...]
#   DIR     the files that release.sh made
#   SUITE   releases of Debian instead of bookworm and trixie; packages are tried in the one they were built on
set -euo pipefail
fail() { echo "try: $1" >&2 && exit 1; }
repository=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
release=$(cd "${1:?usage: try.sh DIR [SUITE...]}" && pwd)
suites=("${@:2}")
if ((${#suites[@]} == 0)); then suites=(bookworm trixie); fi
(cd "$release" && sha256sum --check --quiet SHA256SUMS)
# shellcheck source=/dev/null
built_on=$(. /etc/os-release && echo "$VERSION_CODENAME")

work=$(mktemp -d)
trap 'umount "$work"/*/proc 2>/dev/null || true; rm -rf --one-file-system "$work"' EXIT
mkdir "$work/model" "$work/tarball"
tar -xf "$release"/nmt-*-linux-"$(uname -m)".tar.xz -C "$work/tarball" --strip-components 1
(
  cd "$work/model"
  export NMT=$work/tarball/bin/nmt
  # shellcheck source=regression-tests/lib.sh
  . "$repository/regression-tests/lib.sh"
  make_model
  nmt translate -m model.safetensors --quiet <test.src >expected
) >&2

inside() { # ROOT COMMAND
  chroot "$1" env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin LC_ALL=C.UTF-8 DEBIAN_FRONTEND=noninteractive bash -euc "$2"
}

# Runs a command in a fresh system with the release and the model in /release and /model, then compares what it translated.
try() { # SUITE WHAT PROGRAM COMMAND
  local root=$work/root begin
  rm -rf "$root" && mkdir "$root" && tar -xf "$work/$1.tar" -C "$root"
  mkdir "$root/release" && cp "$release"/* "$root/release" && cp -r "$work/model" "$root/model"
  cp /etc/resolv.conf "$root/etc/resolv.conf"
  mount -t proc proc "$root/proc"
  begin=$EPOCHREALTIME
  inside "$root" "$4
    $3 translate -m /model/model.safetensors --quiet </model/test.src >/translated" >"$work/log" 2>&1 ||
    fail "$1: $2: $(tail -n 5 "$work/log")"
  awk -v begin="$begin" -v end="$EPOCHREALTIME" -v what="$1: $2" 'BEGIN {printf "%s: %.1f s\n", what, end - begin}'
  umount "$root/proc"
  cmp "$root/translated" "$work/model/expected" || fail "$1: $2: translations differ"
}

# The wheel for a system's Python: of that version, or the one for all from a version on.
wheel_for() { # MINOR
  local wheel
  for wheel in "$release"/*-"cp3$1"-*.whl "$release"/*-abi3-*.whl; do
    if [[ -e $wheel && ($1 -ge 12 || $wheel != *-abi3-*) ]]; then basename "$wheel" && return; fi
  done
  fail "no wheel for Python 3.$1"
}

for suite in "${suites[@]}"; do
  mmdebstrap --quiet --variant=minbase --include=ca-certificates,xz-utils "$suite" "$work/$suite.tar" >&2
  mmdebstrap --quiet --variant=minbase --include=ca-certificates,python3-venv "$suite" "$work/$suite-python.tar" >&2
  minor=$(tar -tf "$work/$suite-python.tar" | sed -n 's|.*/usr/bin/python3\.\([0-9]*\)$|\1|p' | head -n 1)
  try "$suite" tarball /nmt/bin/nmt "mkdir /nmt && tar -xf /release/nmt-*-linux-$(uname -m).tar.xz -C /nmt --strip-components 1"
  try "$suite-python" wheel /venv/bin/nmt "python3 -m venv /venv && /venv/bin/pip install --quiet /release/$(wheel_for "$minor")"
  if [[ $suite == "$built_on" ]]; then
    try "$suite" packages nmt "apt-get update -q && apt-get install -y -q --no-install-recommends /release/nmt_*.deb /release/libnmt0*.deb"
  fi
done
