// NEON, the vectors of every AArch64 processor, with and without the extensions dotprod and bf16.
#pragma once

#include <arm_neon.h>

#include "backend/cpu/kernels/instructions/pairs_by_definition.h"
#include "backend/cpu/kernels/vector_types.h"

namespace nmt::cpu::NMT_ISA {

constexpr int kRegisters = 32;

static inline float fused(float a, float b, float c) {
  return __builtin_fmaf(a, b, c);
}

static inline Longs multiply_words(Longs a, Longs b) {
  return reinterpret_cast<Longs>(
      vmull_u32(vmovn_u64(reinterpret_cast<uint64x2_t>(a)), vmovn_u64(reinterpret_cast<uint64x2_t>(b))));
}

static inline std::uint32_t lanes_set(Words x) {
  return vaddvq_u32(reinterpret_cast<uint32x4_t>((x != 0) & Words{1, 2, 4, 8}));
}

constexpr std::uint64_t kFlushToZero = std::uint64_t{1} << 24;  // results and operands

static inline std::uint64_t float_control() {
  std::uint64_t control;
  asm volatile("mrs %0, fpcr" : "=r"(control));
  return control;
}

static inline void set_float_control(std::uint64_t control) {
  asm volatile("msr fpcr, %0" : : "r"(control) : "memory");
}

/// Only the first number counts, and of a Factor the first word: instructions take them from there, which is
/// cheaper than to repeat them.
using Number = float32x2_t;
using Factor = int8x8_t;

static inline Number number_at(const float* from) {
  std::uint32_t bits;
  __builtin_memcpy(&bits, from, sizeof bits);
  return vcreate_f32(bits);
}

static inline Vector add_product(Vector sum, Vector vector, Number number) {
  return vfmaq_lane_f32(sum, vector, number, 0);
}

constexpr std::uint8_t kFlip = 0;
constexpr bool kSumsPairs = false;

static inline Factor factor_at(const void* from) {
  std::uint32_t word;
  __builtin_memcpy(&word, from, sizeof word);
  return vcreate_s8(word);
}

static inline Words repeated(Factor row) {
  return reinterpret_cast<Words>(vdupq_lane_s32(vreinterpret_s32_s8(row), 0));
}

#ifdef __ARM_FEATURE_DOTPROD
static inline Words dot_quads(Words sum, Words weights, Words row) {
  return reinterpret_cast<Words>(vdotq_s32(reinterpret_cast<int32x4_t>(sum),
                                           reinterpret_cast<int8x16_t>(weights),
                                           reinterpret_cast<int8x16_t>(row)));
}
static inline Words dot_quads(Words sum, Words weights, Factor row) {
  return reinterpret_cast<Words>(
      vdotq_lane_s32(reinterpret_cast<int32x4_t>(sum), reinterpret_cast<int8x16_t>(weights), row, 0));
}
#else
/// The sums of two products fit into 16 bits, as factors are between -127 and 127.
static inline Words dot_quads(Words sum, Words weights, Words row) {
  const auto a = reinterpret_cast<int8x16_t>(weights), b = reinterpret_cast<int8x16_t>(row);
  const int16x8_t pairs = vpaddq_s16(vmull_s8(vget_low_s8(a), vget_low_s8(b)), vmull_high_s8(a, b));
  return reinterpret_cast<Words>(vpadalq_s16(reinterpret_cast<int32x4_t>(sum), pairs));
}
static inline Words dot_quads(Words sum, Words weights, Factor row) {
  return dot_quads(sum, weights, repeated(row));
}
#endif

#ifdef __ARM_FEATURE_BF16_VECTOR_ARITHMETIC
static inline Vector dot_pairs(Vector sum, Words weights, Factor row) {
  return vbfdotq_lane_f32(sum, reinterpret_cast<bfloat16x8_t>(weights), reinterpret_cast<bfloat16x4_t>(row),
                          0);
}
#else
static inline Vector dot_pairs(Vector sum, Words weights, Factor row) {
  return dot_pairs_by_definition(sum, weights, repeated(row));
}
#endif

}  // namespace nmt::cpu::NMT_ISA
