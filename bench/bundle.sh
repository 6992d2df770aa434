#!/usr/bin/env bash
# Packs what bench/gpu.sh needs on a machine with a GPU: nmt with its CUDA backend, test programs, benchmarks, and the
# shared libraries that such a machine may lack. The machine must be x86-64 with an NVIDIA driver and cublasLt; root, a
# network, a compiler and packages are not needed.
#
#   bench/bundle.sh [--build DIR] [--plugin FILE] [--output FILE.tar.xz | --folder DIR]
#
#   --build DIR    a build with -DNMT_BENCHMARKS=ON (default: build)
#   --plugin FILE  the CUDA backend (default: DIR/lib/libnmt_cuda.so; DIR/tests/lib/libnmt_cuda.so works without a GPU)
#   --folder DIR   makes only the folder, not the archive nmt-gpu.tar.xz
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
build=$root/build plugin='' output=nmt-gpu.tar.xz folder=''
while (($# > 0)); do
  case $1 in
    --build) build=$2 ;;
    --plugin) plugin=$2 ;;
    --output) output=$2 ;;
    --folder) folder=$2 ;;
    *) sed -n '2,/^set/ { /^# \?/ s/// p }' "$0" >&2 && exit 2 ;;
  esac
  shift 2
done
plugin=${plugin:-$build/lib/libnmt_cuda.so}

fail() {
  echo "error: $*" >&2
  exit 1
}

# Prints the libraries of a program that are not part of the C library, which every system has.
libraries_of() { # FILE...
  ldd "$@" | sed -n 's/.* => \(\/[^ ]*\) .*/\1/p' | sort -u |
    grep -vE '/(ld-linux-x86-64|libc|libm|libdl|librt|libpthread|libresolv)\.so'
}

# Prints the newest version of a library's symbols that files need: "GLIBC 2.36".
newest_version() { # PREFIX FILE...
  objdump -T "${@:2}" 2>/dev/null | sed -n "s/.*[( ]$1_\([0-9.]*\)[) ].*/\1/p" | sort -uV | tail -n 1
}

[[ -f $plugin ]] || fail "no CUDA backend at $plugin: it is built where there is nvcc"
stage=${folder:-$(mktemp -d)/nmt-gpu}
mkdir -p "$stage/bin/lib" "$stage/runtime" "$stage/peers" "$stage/data"
programs=("$build"/nmt "$build"/tests/test_{backend,graph,optim,translate,train} "$build"/bench/bench_{operations,train_steps,translate_steps})
for program in "${programs[@]}"; do
  [[ -x $program ]] || fail "$program is not built (cmake --preset default -D NMT_BENCHMARKS=ON)"
done
cp "${programs[@]}" "$stage/bin"
cp "$plugin" "$stage/bin/lib/libnmt_cuda.so"
if [[ -f $build/lib/libnmt_mpi.so ]]; then cp "$build/lib/libnmt_mpi.so" "$stage/bin/lib"; fi
fragments=$root/tests/backend/cuda_fragments.cu
if [[ -f $fragments ]] && command -v nvcc >/dev/null; then
  nvcc -std=c++20 -gencode arch=compute_80,code=sm_80 -gencode arch=compute_90,code='[sm_90,compute_90]' \
    -I"$root/src" "$fragments" -o "$stage/bin/cuda_fragments"
fi
mapfile -t files < <(find "$stage/bin" -type f ! -name libnmt_mpi.so) # which takes the MPI that is there
strip --strip-unneeded "${files[@]}"
mapfile -t libraries < <(libraries_of "${files[@]}")
cp -L "${libraries[@]}" "$stage/bin/lib"
mv "$stage"/bin/lib/lib{stdc++,gcc_s}.so* "$stage/runtime" # which gpu.sh takes where those of the system are older
cp "$root"/bench/{gpu.sh,alternate.py} "$stage"
cp "$root"/bench/peers/*.py "$stage/peers"
cp -r "$root"/tests/data/. "$stage/data"
git -C "$root" describe --always --dirty >"$stage/VERSION" 2>/dev/null || true

mapfile -t files < <(find "$stage/bin" -type f)
echo "needs a C library with GLIBC_$(newest_version GLIBC "${files[@]}"), and with" \
  "GLIBC_$(newest_version GLIBC "$stage"/runtime/*) where that of C++ lacks GLIBCXX_$(newest_version GLIBCXX "${files[@]}")"
missing=$(LD_LIBRARY_PATH=$stage/bin/lib ldd "${files[@]}" 2>/dev/null | grep "not found" || true)
[[ -z $missing ]] || fail "libraries are missing: $missing"
if [[ $folder ]]; then exit 0; fi
tar -C "${stage%/*}" -cJf "$output" nmt-gpu
rm -rf "${stage%/*}"
echo "$output: $(($(stat -c %s "$output") >> 20)) MiB; unpack it there and run nmt-gpu/gpu.sh"
