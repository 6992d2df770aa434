// Floats as integers in the same order.
#pragma once

#include <cstdint>

namespace nmt::cpu::NMT_ISA {

/// An integer for each float, in the same order; both zeros have the same. NaN has one, too, so that whatever
/// a model computes, k logits are found.
static inline std::int32_t rank(float x) {
  const auto bits = __builtin_bit_cast(std::uint32_t, x);
  return static_cast<std::int32_t>(bits >> 31 != 0 ? 0x80000000U - bits : bits);
}

/// The float of a rank.
static inline float of_rank(std::int32_t rank) {
  return __builtin_bit_cast(
      float, rank < 0 ? 0x80000000U - static_cast<std::uint32_t>(rank) : static_cast<std::uint32_t>(rank));
}

}  // namespace nmt::cpu::NMT_ISA
