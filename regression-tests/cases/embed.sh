#!/usr/bin/env bash
# A program outside of the source tree is built with the installed library, and translates like nmt.
. "$(dirname "$0")/../lib.sh"
skip_sanitized "a program without them cannot load the library"
root=$(cd "$(dirname "$0")/../.." && pwd)
make_model

cmake --install "$(dirname "$NMT")" --component library --prefix "$PWD/installed" >installing
equal "$(cd installed/include && find . -type f)" ./nmt/engine.h "headers"
cp -r "$root/examples/embed" .
cmake -S embed -B built -G Ninja -D CMAKE_PREFIX_PATH="$PWD/installed" -D CMAKE_BUILD_TYPE=Release >configuring
cmake --build built >building || fail "does not build: $(<building)"

if command -v pkg-config >/dev/null; then
  folder=$PWD/installed/lib/pkgconfig/../..
  equal "$(PKG_CONFIG_PATH=$PWD/installed/lib/pkgconfig pkg-config --cflags --libs nmt | xargs)" \
    "-I$folder/include -L$folder/lib -lnmt" "flags of pkg-config"
fi

# No other symbols of the library are visible.
visible=$(nm -D --defined-only --demangle installed/lib/libnmt.so | cut -d ' ' -f 3- | grep -v '^nmt::v1::' || true)
equal "$visible" "" "visible beside nmt::v1"

nmt translate -m model.safetensors --quiet <test.src >expected
built/embed model.safetensors <test.src >translated 2>messages
same expected translated
nmt translate -m model.safetensors -m model.safetensors --quiet <test.src >expected
built/embed model.safetensors model.safetensors <test.src >translated 2>>messages
same expected translated
[[ ! -s messages ]] || fail "wrote to stderr: $(<messages)"
refuses 1 "missing.safetensors" built/embed missing.safetensors <test.src
