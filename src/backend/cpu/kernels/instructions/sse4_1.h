// SSE4.1, which has no fused multiply-add: operators on vectors round each product.
#pragma once

#include "backend/cpu/kernels/instructions/pairs_by_definition.h"
#include "backend/cpu/kernels/instructions/x86.h"

namespace nmt::cpu::NMT_ISA {

constexpr int kRegisters = 16;

/// In f64, the product is exact, and the compiler cannot combine the sum with others.
static inline float fused(float a, float b, float c) {
  return static_cast<float>(static_cast<double>(a) * b + c);
}

static inline Longs multiply_words(Longs a, Longs b) {
  return reinterpret_cast<Longs>(_mm_mul_epu32(reinterpret_cast<__m128i>(a), reinterpret_cast<__m128i>(b)));
}

static inline std::uint32_t lanes_set(Words x) {
  return static_cast<std::uint32_t>(_mm_movemask_ps(reinterpret_cast<__m128>(x != 0)));
}

constexpr bool kSumsPairs = true;

static inline Words dot_quads(Words sum, Words weights, Factor row) {
  const __m128i pairs = _mm_maddubs_epi16(reinterpret_cast<__m128i>(weights), reinterpret_cast<__m128i>(row));
  return reinterpret_cast<Words>(
      _mm_add_epi32(reinterpret_cast<__m128i>(sum), _mm_madd_epi16(pairs, _mm_set1_epi16(1))));
}

static inline Vector dot_pairs(Vector sum, Words weights, Factor row) {
  return dot_pairs_by_definition(sum, weights, row);
}

}  // namespace nmt::cpu::NMT_ISA
