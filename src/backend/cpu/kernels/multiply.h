// Matrix products of floats, including those used by other kernels.
#pragma once

#include "backend/cpu/kernels.h"

namespace nmt::cpu::NMT_ISA {

using Floats = MatrixView<float>;

/// Computes c = or += a b like MatrixProducts::multiply, with the same scratch memory.
std::int64_t multiply_scratch(std::int64_t m);
void multiply(const Floats& a, const Floats& b, const MatrixTarget& c, float* scratch);

}  // namespace nmt::cpu::NMT_ISA
