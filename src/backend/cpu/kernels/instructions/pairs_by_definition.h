// Products of bf16 on processors without instructions for them.
#pragma once

#include "backend/cpu/kernels/vector_types.h"

namespace nmt::cpu::NMT_ISA {

/// Return the elements of pairs as floats, which represent them exactly.
static inline Vector first_of(Words pairs) {
  return reinterpret_cast<Vector>(pairs << 16);
}
static inline Vector second_of(Words pairs) {
  return reinterpret_cast<Vector>(pairs & static_cast<std::int32_t>(0xFFFF0000));
}

/// Computes VDPBF16PS, the instruction of AVX512_BF16, by Intel's definition: adds the products of second
/// elements to the sum, then those of first elements; each sum is rounded to nearest even. The compiler fuses
/// products and sums where it can; products are exact in any case, unless they are denormal.
static inline Vector dot_pairs_by_definition(Vector sum, Words a, Words b) {
  sum = second_of(a) * second_of(b) + sum;
  return first_of(a) * first_of(b) + sum;
}

}  // namespace nmt::cpu::NMT_ISA
