// The kernels for instruction sets of x86-64.
#pragma once

#include "backend/cpu/kernels.h"

namespace nmt::cpu {

namespace sse4_1_f32 {
const Kernels& kernels();
const MatrixProducts& float_products();
const MatrixProducts& widening_products();
}  // namespace sse4_1_f32
namespace sse4_1_bf16 {
const Kernels& kernels();
}
namespace avx2_f32 {
const Kernels& kernels();
const MatrixProducts& float_products();
const MatrixProducts& widening_products();
}  // namespace avx2_f32
namespace avx2_bf16 {
const Kernels& kernels();
}
namespace avx512_f32 {
const Kernels& kernels();
const MatrixProducts& float_products();
const MatrixProducts& widening_products();
}  // namespace avx512_f32
namespace avx512_bf16 {
const Kernels& kernels();
}

/// bf16 matrix products, in pairs (AVX512_BF16) or in tiles (AMX), by instructions or by emulation of their
/// definitions. All of a kind give equal bits, except that SSE4.1 rounds products that are denormal.
namespace sse4_1_definitions {
const MatrixProducts& pair_products();
}
namespace avx2_definitions {
const MatrixProducts& pair_products();
const MatrixProducts& tile_products();
}  // namespace avx2_definitions
namespace avx512_definitions {
const MatrixProducts& pair_products();
const MatrixProducts& tile_products();
}  // namespace avx512_definitions
namespace avx512_pairs {
const MatrixProducts& pair_products();
}
namespace amx_tiles {
const MatrixProducts& tile_products();
}

/// i8 products by quads, with and without instructions for them (AVX_VNNI, AVX512_VNNI), and in tiles (AMX).
namespace sse4_1_quads {
const IntegerMatrixProducts& quad_products();
}
namespace avx2_quads {
const IntegerMatrixProducts& quad_products();
}
namespace avx512_quads {
const IntegerMatrixProducts& quad_products();
}
namespace avx_vnni {
const IntegerMatrixProducts& quad_products();
}
namespace avx512_vnni {
const IntegerMatrixProducts& quad_products();
}
namespace amx_int8 {
const IntegerMatrixProducts& quad_products();
const IntegerMatrixProducts& byte_tile_products();
}  // namespace amx_int8

}  // namespace nmt::cpu
