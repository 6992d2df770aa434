// The dot product of pairs of bf16: the instruction of AVX512_BF16, or an emulation by Intel's definition.
#pragma once

#include "backend/cpu/kernels/bf16/pairs.h"

namespace nmt::cpu::NMT_ISA {

/// Computes VDPBF16PS: adds the products of second elements to the sum, then those of first elements; each
/// fused multiply-add is rounded to nearest even.
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
