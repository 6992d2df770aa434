#!/usr/bin/env bash
# CUDA kernels use no local memory, for spilled registers or for arrays with dynamic indices, beyond the known amounts.
. "$(dirname "$0")/../lib.sh"
plugin=$(dirname "$(realpath "$NMT")")/lib/libnmt_cuda.so
[[ -f $plugin ]] || skip "the CUDA backend was not built by nvcc"
nvcc=$(command -v nvcc || true)
cuobjdump=$(command -v cuobjdump || echo "$(dirname "$(realpath "${nvcc:-/}")")/cuobjdump")
[[ -x $cuobjdump ]] || skip "no cuobjdump in the PATH or beside nvcc"

# Known bytes per thread for compute capability 9.0, the maximum over nvcc 12.4 and 13.0.
known='add_gated 8
attention_fragment_kernel 32
cached_attention_kernel 8
cross_entropy_kernel 16
draw_kernel 40
gradient_fragment_kernel 48
paired_cross_entropy_kernel 88'

# Prints a line for each kernel: its name without arguments, its bytes, and its template arguments.
"$cuobjdump" -arch sm_90 -res-usage "$plugin" | c++filt | sed 's/(anonymous namespace):://g' | awk '
  $1 == "Function" { kernel = $0; match($0, /nmt::cuda::[a-z0-9_]+/); name = substr($0, RSTART + 11, RLENGTH - 11); next }
  match($0, /STACK:[0-9]+/) { bytes = substr($0, RSTART + 6, RLENGTH - 6) }
  match($0, /LOCAL:[0-9]+/) { print name, bytes + substr($0, RSTART + 6, RLENGTH - 6), kernel }' >kernels
[[ -s kernels ]] || skip "the plugin has no code for compute capability 9.0"
holds "$(grep -c . kernels) > 100"
awk 'NR == FNR { known[$1] = $2; next } $2 > known[$1] + 0' <(echo "$known") kernels >spilled
[[ ! -s spilled ]] || fail "more bytes than are known: $(<spilled)"
