// The tiles of AMX, or an emulation by Intel's definition if the processor has none.
#pragma once

#include "backend/cpu/kernels/amx.h"
#include "backend/cpu/kernels/bf16/pairs.h"

namespace nmt::cpu::NMT_ISA {

#ifdef __AMX_BF16__

using TilesInUse = AmxInUse;
using Tiles = AmxTiles;

#else

using TilesInUse = FlushedToZero;

struct Tiles {
  template <int tile>
  void read(const void* from, std::int64_t stride) {
    for (std::int64_t r = 0; r < 16; ++r)
      std::memcpy(words[tile][r], static_cast<const std::int32_t*>(from) + r * stride, sizeof words[tile][r]);
  }
  template <int tile>
  void write(float* to, std::int64_t stride) {
    for (std::int64_t r = 0; r < 16; ++r) std::memcpy(to + r * stride, words[tile][r], sizeof words[tile][r]);
  }
  /// Computes TDPBF16PS: the products of first and of second elements are summed in a chain each, from zero;
  /// the sum of both is added to c. Each fused multiply-add is rounded to nearest even.
  template <int c, int a, int b>
  void dot_pairs() {
    for (std::int64_t r = 0; r < 16; ++r)
      for (std::int64_t j = 0; j < 16; j += kLanes) {
        Vector first = {}, second = {};
        for (std::int64_t i = 0; i < 16; ++i) {
          const Words of_a = Words{} + words[a][r][i];
          const Words of_b = load_words(reinterpret_cast<const BFloat16*>(words[b][i] + j));
          first = fused(first_of(of_a), first_of(of_b), first);
          second = fused(second_of(of_a), second_of(of_b), second);
        }
        auto* sum = reinterpret_cast<float*>(words[c][r] + j);
        store(sum, load(sum) + (first + second));
      }
  }

  alignas(64) std::int32_t words[8][16][16];
};

#endif

}  // namespace nmt::cpu::NMT_ISA
