// The matrix product that other kernels use.
#pragma once

#include "backend/cpu/kernels.h"

namespace nmt::cpu::NMT_ISA {

/// c = or += a b, as Kernels::multiply_packed does it; scratch as for that.
void multiply(const MatrixView& a, const MatrixView& b, const MatrixTarget& c, float* scratch);

}  // namespace nmt::cpu::NMT_ISA
