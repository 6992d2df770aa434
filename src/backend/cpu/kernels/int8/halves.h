// Rows of i8 for products whose sums of pairs pass through 16 bits. Of weights between 1 and 255 those sums
// fit where the pair of the row adds up to no more than 128, either way. Few pairs add up to more, as the
// largest of a row are rare: their quads are divided into two halves, of which one stays in the row and the
// other is in a list behind it, whose products are added at the end. So sums are exact, whatever the row.
#pragma once

#include <immintrin.h>

#include <bit>

#include "backend/cpu/kernels/int8/quads.h"

namespace nmt::cpu::NMT_ISA {

#if defined(__AVX512VNNI__) || defined(__AVXVNNI__)
constexpr bool kSumsPairs = false;
#else
constexpr bool kSumsPairs = true;
#endif
constexpr std::int16_t kMostOfPair = 128;
constexpr std::int64_t kLineBytes = 64;

/// Bytes of the quads of a row: a multiple of a cache line, and one more, so that rows don't all meet in few
/// lines of the cache.
constexpr std::int64_t quads_bytes(std::int64_t quads) {
  return (4 * quads / kLineBytes + 2) * kLineBytes;
}

/// The second half of a quad of a row.
struct Half {
  std::int32_t step;  // which quad; kNone where the list ends
  std::int8_t quad[4];
};
constexpr std::int32_t kNone = -1;

/// Bytes of the longest list.
constexpr std::int64_t halves_bytes(std::int64_t quads) {
  const std::int64_t bytes = (quads + 1) * static_cast<std::int64_t>(sizeof(Half));
  return (bytes + kLineBytes - 1) / kLineBytes * kLineBytes;
}

/// The list of a row.
static inline const Half* halves_of(const std::int8_t* row, std::int64_t quads) {
  return reinterpret_cast<const Half*>(row + quads_bytes(quads));
}

/// A bit for each of kLanes quads in which a pair adds up to too much.
static inline std::uint32_t quads_to_divide(Words row) {
  using Pairs = std::int16_t __attribute__((vector_size(NMT_VECTOR_BYTES)));
  const auto pairs = reinterpret_cast<Pairs>(row);
  const Pairs sums = (pairs << 8 >> 8) + (pairs >> 8);
  const auto found = reinterpret_cast<Words>((sums > kMostOfPair) | (sums < -kMostOfPair));
#ifdef __AVX512BW__
  return _mm512_test_epi32_mask(reinterpret_cast<__m512i>(found), reinterpret_cast<__m512i>(found));
#else
  return static_cast<std::uint32_t>(_mm256_movemask_ps(reinterpret_cast<__m256>(found != 0)));
#endif
}

/// Divides the quads of a row that have to be.
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
