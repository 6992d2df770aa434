#!/usr/bin/env bash
# Installs the packages for building and testing nmt on Debian or Ubuntu; does nothing if all are installed.
# usage: install-packages.sh [--arm64] [MORE-PACKAGES...]
#   --arm64      also what building for AArch64 on x86-64 takes: a compiler, qemu, and a root folder with libraries,
#                build-arm64-system, since those of two architectures cannot all be installed together
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

# In the order of cmake/dependencies.cmake, then those of tests.
libraries=(
  libyaml-cpp-dev libboost-dev libboost-program-options-dev libfmt-dev nlohmann-json3-dev zlib1g-dev libexpat1-dev liblzma-dev libicu-dev libssl-dev
  libsentencepiece-dev libxxhash-dev libzstd-dev libzip-dev libcurl4-openssl-dev
  libgtest-dev libgmock-dev
)
arm64=${NMT_ARM64_SYSTEM:-$root/build-arm64-system}
if [[ ${1:-} == --arm64 ]]; then
  shift
  set -- g++-aarch64-linux-gnu qemu-user mmdebstrap "$@"
else
  arm64=
fi
packages=(
  # compiler and build
  g++ cmake ninja-build pkg-config
  "${libraries[@]}" libbenchmark-dev
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

# Unpacks the packages of arm64, without running anything of theirs. Absolute links would lead out of the folder.
make_arm64_system() {
  [[ -n $arm64 && ! -d $arm64 ]] || return 0
  echo "install-packages: unpacking the libraries of arm64 to $arm64"
  local list link target release
  release=$(. /etc/os-release && echo "$VERSION_CODENAME")
  list=$(IFS=, && echo "${libraries[*]}")
  rm -rf "$arm64.part"
  mmdebstrap --quiet --variant=extract --architectures=arm64 --include="libc6-dev,libstdc++6,libubsan1,$list" "$release" "$arm64.part"
  rm -rf "$arm64.part/dev" # qemu would take these devices for those of the machine
  find "$arm64.part" -type l -lname '/*' -printf '%p %l\n' | while read -r link target; do
    ln -sfr "$arm64.part$target" "$link"
  done
  mv "$arm64.part" "$arm64"
}

missing=()
for package in "${packages[@]}"; do
  is_installed "$package" || missing+=("$package")
done
if ((${#missing[@]} == 0)); then
  echo "install-packages: all ${#packages[@]} packages are installed"
  make_arm64_system
  exit 0
fi

can_be_root || fail "installing needs root or sudo; ask an administrator to install: ${missing[*]}"
echo "install-packages: installing ${missing[*]}"
as_root apt-get update --quiet
as_root env DEBIAN_FRONTEND=noninteractive apt-get install --yes --quiet --no-install-recommends "${missing[@]}"
make_arm64_system
