// AVX2 and FMA, with and without AVX_VNNI.
#pragma once

#include "backend/cpu/kernels/instructions/pairs_by_definition.h"
#include "backend/cpu/kernels/instructions/x86.h"

namespace nmt::cpu::NMT_ISA {

constexpr int kRegisters = 16;

static inline float fused(float a, float b, float c) {
  return __builtin_fmaf(a, b, c);
}

static inline Longs multiply_words(Longs a, Longs b) {
  return reinterpret_cast<Longs>(
      _mm256_mul_epu32(reinterpret_cast<__m256i>(a), reinterpret_cast<__m256i>(b)));
}

static inline std::uint32_t lanes_set(Words x) {
  return static_cast<std::uint32_t>(_mm256_movemask_ps(reinterpret_cast<__m256>(x != 0)));
}

#ifdef __AVXVNNI__
constexpr bool kSumsPairs = false;

static inline Words dot_quads(Words sum, Words weights, Factor row) {
  return reinterpret_cast<Words>(_mm256_dpbusd_avx_epi32(
      reinterpret_cast<__m256i>(sum), reinterpret_cast<__m256i>(weights), reinterpret_cast<__m256i>(row)));
}
#else
constexpr bool kSumsPairs = true;

static inline Words dot_quads(Words sum, Words weights, Factor row) {
  const __m256i pairs =
      _mm256_maddubs_epi16(reinterpret_cast<__m256i>(weights), reinterpret_cast<__m256i>(row));
  return reinterpret_cast<Words>(
      _mm256_add_epi32(reinterpret_cast<__m256i>(sum), _mm256_madd_epi16(pairs, _mm256_set1_epi16(1))));
}
#endif

static inline Vector dot_pairs(Vector sum, Words weights, Factor row) {
  return dot_pairs_by_definition(sum, weights, row);
}

}  // namespace nmt::cpu::NMT_ISA
