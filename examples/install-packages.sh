#!/usr/bin/env bash
# Installs the packages for building and testing nmt on Debian or Ubuntu; does nothing if all are installed.
# usage: install-packages.sh [MORE-PACKAGES...]
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

packages=(
  # compiler and build
  g++ cmake ninja-build pkg-config
  # libraries, in the order of cmake/dependencies.cmake
  libyaml-cpp-dev libboost-dev libboost-program-options-dev libfmt-dev nlohmann-json3-dev zlib1g-dev liblzma-dev libicu-dev libssl-dev
  libsentencepiece-dev libxxhash-dev libzstd-dev libzip-dev libcurl4-openssl-dev
  # tests and benchmarks
  libgtest-dev libgmock-dev libbenchmark-dev
  # processes as ranks of a training run
  libopenmpi-dev openmpi-bin
  # nmt plot --format png
  librsvg2-bin
  # what the scripts call
  curl bzip2 gzip xz-utils zstd
  "$@"
)

is_installed() {
  [[ $(dpkg-query --show --showformat='${db:Status-Status}' "$1" 2>/dev/null) == installed ]]
}

if ! command -v apt-get >/dev/null || ! command -v dpkg-query >/dev/null; then
  fail "apt-get is missing; install your system's equivalents of: ${packages[*]}"
fi

missing=()
for package in "${packages[@]}"; do
  is_installed "$package" || missing+=("$package")
done
if ((${#missing[@]} == 0)); then
  echo "install-packages: all ${#packages[@]} packages are installed"
  exit 0
fi

can_be_root || fail "installing needs root or sudo; ask an administrator to install: ${missing[*]}"
echo "install-packages: installing ${missing[*]}"
as_root apt-get update --quiet
as_root env DEBIAN_FRONTEND=noninteractive apt-get install --yes --quiet --no-install-recommends "${missing[@]}"
