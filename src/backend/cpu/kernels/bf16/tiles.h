// The tiles of AMX, or what they do by Intel's definition where the processor has none.
#pragma once

#include <immintrin.h>

#include "backend/cpu/kernels/bf16/pairs.h"

namespace nmt::cpu::NMT_ISA {

#ifdef __AMX_BF16__

/// Eight tiles of sixteen rows of 64 bytes, usable as long as it lives. They are given back after each
/// product, so that the system has nothing to save for threads that do other work.
class TilesInUse {
 public:
  TilesInUse() {
    struct alignas(64) {
      std::uint8_t palette = 1, start_row = 0, reserved[14] = {};
      std::uint16_t row_bytes[16] = {64, 64, 64, 64, 64, 64, 64, 64};
      std::uint8_t rows[16] = {16, 16, 16, 16, 16, 16, 16, 16};
    } const settings;
    _tile_loadconfig(&settings);
  }
  ~TilesInUse() { _tile_release(); }
  TilesInUse(const TilesInUse&) = delete;
  TilesInUse& operator=(const TilesInUse&) = delete;
};

struct Tiles {
  /// Rows are `stride` words apart.
  template <int tile>
  void read(const void* from, std::int64_t stride) {
    asm volatile("tileloadd (%0,%1,1), %%tmm%c2" : : "r"(from), "r"(4 * stride), "i"(tile) : "memory");
  }
  template <int tile>
  void write(float* to, std::int64_t stride) {
    asm volatile("tilestored %%tmm%c2, (%0,%1,1)" : : "r"(to), "r"(4 * stride), "i"(tile) : "memory");
  }
  /// c += a b: the rows of a are pairs along k, those of b pairs of its columns.
  template <int c, int a, int b>
  void dot() {
    asm volatile("tdpbf16ps %%tmm%c2, %%tmm%c1, %%tmm%c0" : : "i"(c), "i"(a), "i"(b));
  }
};

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
  /// TDPBF16PS: the products of first and of second elements are summed in a chain each, from zero; the sum
  /// of both is added to c. Each step is rounded to nearest even, products with the addition that follows.
  template <int c, int a, int b>
  void dot() {
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
