// The kernels for instruction sets of AArch64.
#pragma once

#include "backend/cpu/kernels.h"

namespace nmt::cpu {

namespace neon_f32 {
const Kernels& kernels();
const MatrixProducts& float_products();
const MatrixProducts& widening_products();
}  // namespace neon_f32
namespace neon_bf16 {
const Kernels& kernels();
}

/// bf16 matrix products in pairs, by instructions (bf16) or by emulation of those of x86-64, which round
/// differently.
namespace neon_definitions {
const MatrixProducts& pair_products();
}
namespace neon_pairs {
const MatrixProducts& pair_products();
}

/// i8 products by quads, with and without instructions for them (dotprod), and by octets (i8mm).
namespace neon_quads {
const IntegerMatrixProducts& quad_products();
}
namespace neon_dotprod {
const IntegerMatrixProducts& quad_products();
}
namespace neon_i8mm {
const IntegerMatrixProducts& octet_products();
}

}  // namespace nmt::cpu
