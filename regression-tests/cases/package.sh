#!/usr/bin/env bash
# The tarball runs on a system with only the C library, in a folder of any name.
. "$(dirname "$0")/../lib.sh"
skip_sanitized "their libraries are not in it"
root=$PWD/root
unshare --mount chroot / true 2>/dev/null || skip "this takes the right to change the root folder"
loader=$(command -v ldd >/dev/null && ldd "$NMT" | sed -n 's/^\t\(\/[^ ]*ld-linux[^ ]*\).*/\1/p')
[[ $loader ]] || skip "no loader of glibc"
libc=$(ldd "$NMT" | sed -n 's/^\tlibc.so.6 => \([^ ]*\).*/\1/p')
make_model

for component in program bundled; do
  cmake --install "$(dirname "$NMT")" --component $component --prefix "$root/some where/nmt" >installing 2>&1 ||
    fail "cannot be installed: $(<installing)"
done
for library in "$loader" "${libc%/*}"/lib{c,m,dl,rt,pthread}.so.?; do
  mkdir -p "$root/${library%/*}" && cp -L "$library" "$root/$library"
done
mkdir "$root/proc" "$root/tmp" && cp model.safetensors "$root/tmp"

inside() { # ARGUMENT...
  # shellcheck disable=SC2016 # expanded by the inner shell
  unshare --mount bash -c 'mount -t proc proc "$0/proc" && exec chroot "$0" "/some where/nmt/bin/nmt" "$@"' "$root" "$@"
}
equal "$(inside --version)" "$(nmt --version)"
nmt translate -m model.safetensors --quiet <test.src >expected
inside translate -m /tmp/model.safetensors --quiet <test.src >translated
same translated expected
inside vocab -i - -o /tmp/v.spm --size 30 --quiet <test.src 2>messages || fail "cannot learn a vocabulary: $(<messages)"
compgen -G "$root/some where/nmt/share/doc/nmt/licenses/*" >/dev/null || fail "no licenses"
