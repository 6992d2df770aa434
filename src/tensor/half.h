// Floating-point numbers of 16 bits, for storage only: computations widen them, which is exact, and round
// results to nearest, ties to even.
#pragma once

#include <cstdint>

namespace nmt {

/// bfloat16: the upper half of an f32, 8 bits of exponent and 7 of fraction. Converts implicitly both ways,
/// so that code for f32 also works for it; always inlined, because kernels are compiled for several
/// instruction sets.
struct BFloat16 {
  std::uint16_t bits;

  BFloat16() = default;
  // NOLINTNEXTLINE(google-explicit-constructor)
  [[gnu::always_inline]] BFloat16(float x) {
    const auto word = __builtin_bit_cast(std::uint32_t, x);
    const std::uint32_t rounded = (word + 0x7FFF + (word >> 16 & 1)) >> 16;
    bits = static_cast<std::uint16_t>(x == x ? rounded : kNaN);
  }
  // NOLINTNEXTLINE(google-explicit-constructor)
  [[gnu::always_inline]] operator float() const {
    return __builtin_bit_cast(float, static_cast<std::uint32_t>(bits) << 16);
  }

  static constexpr std::uint16_t kNaN = 0x7FC0;
};

/// binary16 of IEEE 754: 5 bits of exponent, 10 of fraction; the largest number is 65504.
struct Float16 {
  std::uint16_t bits;

  Float16() = default;
  explicit Float16(float x);
  explicit operator float() const;
};

}  // namespace nmt
