// Loading and storing vectors, and functions of one float that the compiler vectorizes.
#pragma once

#include <cstdint>
#include <cstring>
#include <utility>

#include "backend/cpu/kernels/instructions.h"
#include "tensor/dtype.h"

namespace nmt::cpu::NMT_ISA {

/// Returns the lesser of two counts.
constexpr std::int64_t least(std::int64_t a, std::int64_t b) {
  return a < b ? a : b;
}

/// Returns the greater of two counts.
constexpr std::int64_t most(std::int64_t a, std::int64_t b) {
  return a > b ? a : b;
}

static inline Vector load(const float* from) {
  Vector x;
  std::memcpy(&x, from, sizeof x);
  return x;
}

static inline void store(float* to, Vector x) {
  std::memcpy(to, &x, sizeof x);
}

/// Loads the bits of kLanes bf16, each into a word.
static inline Words load_bits(const BFloat16* from) {
  using Bits = std::uint16_t __attribute__((vector_size(2 * kLanes)));
  Bits bits;
  std::memcpy(&bits, from, sizeof bits);
  return __builtin_convertvector(bits, Words);
}

static inline Vector load(const BFloat16* from) {
  return reinterpret_cast<Vector>(load_bits(from) << 16);
}

/// Stores a vector, rounded as by BFloat16.
static inline void store(BFloat16* to, Vector x) {
  using Unsigned = std::uint32_t __attribute__((vector_size(NMT_VECTOR_BYTES)));
  using Bits = std::uint16_t __attribute__((vector_size(2 * kLanes)));
  const auto word = reinterpret_cast<Unsigned>(x);
  const Unsigned rounded = (word + 0x7FFF + ((word >> 16) & 1)) >> 16;
  const auto bits = __builtin_convertvector(x == x ? rounded : Unsigned{} + BFloat16::kNaN, Bits);
  std::memcpy(to, &bits, sizeof bits);
}

/// Computes to[i] = from[i], rounded.
template <class From, class To>
static inline void convert_elements(const From* __restrict from, To* __restrict to, std::int64_t n) {
  for (std::int64_t i = 0; i < n; ++i) to[i] = from[i];
}

/// A round of transpose(): exchanges the halves of pairs of rows that are `distance` apart.
template <std::size_t distance, std::size_t... lane>
static inline void exchange(Vector* rows, std::index_sequence<lane...>) {
  constexpr std::size_t kN = sizeof...(lane);
#pragma GCC unroll 16
  for (std::size_t r = 0; r < kN; ++r) {
    if ((r & distance) != 0) continue;
    const Vector a = rows[r];
    const Vector b = rows[r + distance];
    rows[r] = __builtin_shufflevector(a, b, ((lane & distance) != 0 ? kN + lane - distance : lane)...);
    rows[r + distance] =
        __builtin_shufflevector(a, b, ((lane & distance) != 0 ? kN + lane : lane + distance)...);
  }
}

/// Transposes a square of `kLanes` vectors.
template <std::size_t distance = kLanes / 2>
static inline void transpose(Vector* rows) {
  exchange<distance>(rows, std::make_index_sequence<kLanes>());
  if constexpr (distance > 1) transpose<distance / 2>(rows);
}

/// Returns e^x within 2e-7; 0 below -87, infinity above 88.7. e^x = 2^n e^r with r within +-log(2)/2, and e^r
/// by its Taylor series. log(2) is split into two parts, of which the first is exact in few bits.
static inline float exponential(float x) {
  float clamped = x < -87.0F ? -87.0F : x;
  clamped = clamped > 89.0F ? 89.0F : clamped;
  const float n = __builtin_nearbyintf(clamped * 1.44269504F);
  const float r = fused(n, -1.42860677e-6F, fused(n, -0.693145752F, clamped));
  float p = 1.0F / 5040;
  p = fused(p, r, 1.0F / 720);
  p = fused(p, r, 1.0F / 120);
  p = fused(p, r, 1.0F / 24);
  p = fused(p, r, 1.0F / 6);
  p = fused(p, r, 0.5F);
  p = fused(p, r, 1.0F);
  p = fused(p, r, 1.0F);
  const std::int32_t power = (static_cast<std::int32_t>(n) + 127) << 23;
  return x < -87.0F ? 0.0F : p * __builtin_bit_cast(float, power);
}

/// Returns log x within 2e-7 of its value or of 1, for normal numbers above 0: x = 2^e m with m from
/// sqrt(1/2) to sqrt(2), and log m = 2 artanh((m - 1) / (m + 1)) by its Taylor series.
static inline float logarithm(float x) {
  constexpr std::int32_t kRootOfHalf = 0x3F3504F3;
  const std::int32_t above = __builtin_bit_cast(std::int32_t, x) - kRootOfHalf;
  const std::int32_t exponent = above >> 23;
  const float m = __builtin_bit_cast(float, (above & 0x7FFFFF) + kRootOfHalf);
  const float s = (m - 1.0F) / (m + 1.0F);
  const float square = s * s;
  float p = 2.0F / 9;
  p = fused(p, square, 2.0F / 7);
  p = fused(p, square, 2.0F / 5);
  p = fused(p, square, 2.0F / 3);
  p = fused(p, square, 2.0F);
  return fused(p, s, static_cast<float>(exponent) * 0.693147182F);
}

/// Returns erf(x) within 1e-7: an odd polynomial up to |x| = 1; beyond, 1 - e^(-x^2) u P(u) with u = 1 / (1 +
/// 0.7 |x|) (the form of Abramowitz and Stegun, 7.1.26). Both are minimax fits, within 1e-8 before rounding.
/// `gaussian` is e^(-x^2).
static inline float error_function(float x, float gaussian) {
  const float s = x * x;
  float near = 7.88916223e-5F;
  near = fused(near, s, -8.02085502e-4F);
  near = fused(near, s, 5.18953707e-3F);
  near = fused(near, s, -2.68544462e-2F);
  near = fused(near, s, 0.112836003F);
  near = fused(near, s, -0.37612626F);
  near = fused(near, s, 1.12837911F);
  const float magnitude = __builtin_fabsf(x);
  const float u = 1.0F / fused(0.7F, magnitude, 1.0F);
  float far = -0.286845505F;
  far = fused(far, u, 0.56027627F);
  far = fused(far, u, 0.320459723F);
  far = fused(far, u, 0.402904183F);
  far = 1.0F - gaussian * u * far;
  return magnitude < 1.0F ? x * near : __builtin_copysignf(far, x);
}

}  // namespace nmt::cpu::NMT_ISA
