// The dot product of pairs of bf16: AVX512_BF16's, or what it does by Intel's definition.
#pragma once

#include "backend/cpu/kernels/bf16/pairs.h"

namespace nmt::cpu::NMT_ISA {

/// VDPBF16PS: the products of second elements are added to the sum, then those of first ones; each step is
/// rounded to nearest even, a product with its addition.
#ifdef __AVX512BF16__
static inline Vector dot(Vector sum, Words a, Words b) {
  return _mm512_dpbf16_ps(sum, reinterpret_cast<__m512bh>(a), reinterpret_cast<__m512bh>(b));
}
#else
static inline Vector dot(Vector sum, Words a, Words b) {
  return fused(first_of(a), first_of(b), fused(second_of(a), second_of(b), sum));
}
#endif

}  // namespace nmt::cpu::NMT_ISA
