// Rows of i8 for products whose sums of pairs pass through 16 bits. With weights between 1 and 255 these sums
// fit if the pair of the row adds up to at most 128 in absolute value. Few pairs add up to more, because
// large elements are rare in a row: their quads are split into two halves, one of which stays in the row; the
// other goes into a list after it, whose products are added at the end. So sums are exact for every row.
#pragma once

#include <bit>

#include "backend/cpu/kernels/int8/quads.h"

namespace nmt::cpu::NMT_ISA {

constexpr std::int16_t kMostOfPair = 128;

/// The second half of a quad of a row.
struct Half {
  std::int32_t step;  // number of the quad; kNone at the end of the list
  std::int8_t quad[4];
};
constexpr std::int32_t kNone = -1;

/// Returns the bytes of the longest list.
constexpr std::int64_t halves_bytes(std::int64_t quads) {
  const std::int64_t bytes = (quads + 1) * static_cast<std::int64_t>(sizeof(Half));
  return (bytes + kLineBytes - 1) / kLineBytes * kLineBytes;
}

/// Returns the list of a row.
static inline const Half* halves_of(const std::int8_t* row, std::int64_t quads) {
  return reinterpret_cast<const Half*>(row + quads_bytes(quads));
}

/// Returns a bit for each of kLanes quads that contains a pair with too large a sum.
static inline std::uint32_t quads_to_divide(Words row) {
  using Pairs = std::int16_t __attribute__((vector_size(NMT_VECTOR_BYTES)));
  const auto pairs = reinterpret_cast<Pairs>(row);
  const Pairs sums = (pairs << 8 >> 8) + (pairs >> 8);
  return lanes_set(reinterpret_cast<Words>((sums > kMostOfPair) | (sums < -kMostOfPair)));
}

/// Splits the quads of a row that need it.
static inline void divide_quads(std::int8_t* row, std::int64_t quads) {
  auto* half = reinterpret_cast<Half*>(row + quads_bytes(quads));
  for (std::int64_t first = 0; first < quads; first += kLanes)
    for (std::uint32_t left = quads_to_divide(load_words(row + 4 * first)); left != 0; left &= left - 1) {
      const std::int64_t step = first + std::countr_zero(left);
      std::int8_t* quad = row + 4 * step;
      half->step = static_cast<std::int32_t>(step);
      for (int i = 0; i < 4; ++i) {
        const auto lower = static_cast<std::int8_t>(quad[i] >> 1);
        half->quad[i] = static_cast<std::int8_t>(quad[i] - lower);
        quad[i] = lower;
      }
      ++half;
    }
  half->step = kNone;
}

}  // namespace nmt::cpu::NMT_ISA
