#include "backend/cpu/kernels/vector_kernels.h"

namespace nmt::cpu::NMT_ISA {

const Kernels& kernels() {
  static const VectorKernels kernels;
  return kernels;
}

}  // namespace nmt::cpu::NMT_ISA
