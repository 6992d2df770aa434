// Random words, several blocks at a time.
#pragma once

#include "backend/cpu/kernels/instructions.h"

namespace nmt::cpu::NMT_ISA {

/// Blocks are drawn in parallel, each in a lane of Longs, which holds a product of two words.
constexpr std::int64_t kPhiloxBlocks = kLanes / 2;

/// Returns the high halves of all lanes, sign-extended: only low halves count.
static inline Longs high_words(Longs x) {
  return x >> 32;
}

/// Computes philox4x32 of common/philox.h over lanes. Only the low half of a lane counts.
struct PhiloxBlocks {
  Longs c0, c1, c2, c3;  // the counter, then the random words

  /// Starts with the counters (c0, c1, first + lane, c3).
  PhiloxBlocks(std::uint32_t word0, std::uint32_t word1, std::int64_t first, std::uint32_t word3)
      : c0(Longs{} + word0), c1(Longs{} + word1), c2(Longs{} + first), c3(Longs{} + word3) {
    for (std::int64_t lane = 0; lane < kPhiloxBlocks; ++lane) c2[lane] += lane;
  }

  void draw(std::uint32_t key0, std::uint32_t key1) {
#pragma GCC unroll 10
    for (int round = 0; round < 10; ++round) {
      const Longs a = multiply_words(c0, Longs{} + 0xD2511F53);
      const Longs b = multiply_words(c2, Longs{} + 0xCD9E8D57);
      c0 = high_words(b) ^ c1 ^ key0;
      c2 = high_words(a) ^ c3 ^ key1;
      c1 = b;
      c3 = a;
      key0 += 0x9E3779B9U;
      key1 += 0xBB67AE85U;
    }
  }
};

}  // namespace nmt::cpu::NMT_ISA
