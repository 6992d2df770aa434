// Integers that order like floats.
#pragma once

#include <cstdint>

namespace nmt::cpu::NMT_ISA {

/// Returns an integer for a float, in the order of floats; both zeros have the same. NaN has one, too, so
/// that k logits are always found, whatever a model computes.
static inline std::int32_t rank(float x) {
  const auto bits = __builtin_bit_cast(std::uint32_t, x);
  return static_cast<std::int32_t>(bits >> 31 != 0 ? 0x80000000U - bits : bits);
}

/// Returns the float with this rank.
static inline float of_rank(std::int32_t rank) {
  return __builtin_bit_cast(
      float, rank < 0 ? 0x80000000U - static_cast<std::uint32_t>(rank) : static_cast<std::uint32_t>(rank));
}

}  // namespace nmt::cpu::NMT_ISA
