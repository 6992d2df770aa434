// AVX-512, with and without AVX512_VNNI and AVX512_BF16.
#pragma once

#include "backend/cpu/kernels/instructions/pairs_by_definition.h"
#include "backend/cpu/kernels/instructions/x86.h"

namespace nmt::cpu::NMT_ISA {

constexpr int kRegisters = 32;

static inline float fused(float a, float b, float c) {
  return __builtin_fmaf(a, b, c);
}

static inline Longs multiply_words(Longs a, Longs b) {
  return reinterpret_cast<Longs>(
      _mm512_maskz_mul_epu32(0xFF, reinterpret_cast<__m512i>(a), reinterpret_cast<__m512i>(b)));
}

static inline std::uint32_t lanes_set(Words x) {
  return _mm512_test_epi32_mask(reinterpret_cast<__m512i>(x), reinterpret_cast<__m512i>(x));
}

#ifdef __AVX512VNNI__
constexpr bool kSumsPairs = false;

static inline Words dot_quads(Words sum, Words weights, Factor row) {
  return reinterpret_cast<Words>(_mm512_dpbusd_epi32(
      reinterpret_cast<__m512i>(sum), reinterpret_cast<__m512i>(weights), reinterpret_cast<__m512i>(row)));
}
#else
constexpr bool kSumsPairs = true;

static inline Words dot_quads(Words sum, Words weights, Factor row) {
  const __m512i pairs =
      _mm512_maddubs_epi16(reinterpret_cast<__m512i>(weights), reinterpret_cast<__m512i>(row));
  return reinterpret_cast<Words>(
      _mm512_add_epi32(reinterpret_cast<__m512i>(sum), _mm512_madd_epi16(pairs, _mm512_set1_epi16(1))));
}
#endif

#ifdef __AVX512BF16__
static inline Vector dot_pairs(Vector sum, Words weights, Factor row) {
  return _mm512_dpbf16_ps(sum, reinterpret_cast<__m512bh>(weights), reinterpret_cast<__m512bh>(row));
}
#else
static inline Vector dot_pairs(Vector sum, Words weights, Factor row) {
  return dot_pairs_by_definition(sum, weights, row);
}
#endif

}  // namespace nmt::cpu::NMT_ISA
