// Matrix products of floats, those that other kernels use among them.
#pragma once

#include "backend/cpu/kernels.h"

namespace nmt::cpu::NMT_ISA {

using Floats = MatrixView<float>;

/// c = or += a b, as MatrixProducts::multiply does it; scratch as for that.
std::int64_t multiply_scratch(std::int64_t m);
void multiply(const Floats& a, const Floats& b, const MatrixTarget& c, float* scratch);

}  // namespace nmt::cpu::NMT_ISA
