// The tiles of AMX, registers of sixteen rows of 64 bytes.
#pragma once

#include <immintrin.h>

#include <cstdint>

namespace nmt::cpu::NMT_ISA {

#if defined(__AMX_TILE__) || defined(__AMXTILE__)  // g++ and clang

/// Reserves eight tiles for as long as it lives. Tiles are released after each product, so that the system
/// has nothing to save for threads that do other work.
class AmxInUse {
 public:
  AmxInUse() {
    struct alignas(64) {
      std::uint8_t palette = 1, start_row = 0, reserved[14] = {};
      std::uint16_t row_bytes[16] = {64, 64, 64, 64, 64, 64, 64, 64};
      std::uint8_t rows[16] = {16, 16, 16, 16, 16, 16, 16, 16};
    } const settings;
    _tile_loadconfig(&settings);
  }
  ~AmxInUse() { _tile_release(); }
  AmxInUse(const AmxInUse&) = delete;
  AmxInUse& operator=(const AmxInUse&) = delete;
};

struct AmxTiles {
  /// Reads a tile; rows are `stride` words of 32 bits apart.
  template <int tile>
  void read(const void* from, std::int64_t stride) {
    asm volatile("tileloadd (%0,%1,1), %%tmm%c2" : : "r"(from), "r"(4 * stride), "i"(tile) : "memory");
  }
  template <int tile>
  void write(void* to, std::int64_t stride) {
    asm volatile("tilestored %%tmm%c2, (%0,%1,1)" : : "r"(to), "r"(4 * stride), "i"(tile) : "memory");
  }
  template <int tile>
  void clear() {
    asm volatile("tilezero %%tmm%c0" : : "i"(tile));
  }
  /// Computes c += a b: rows of a are quads of bytes along k, rows of b quads of its columns; a is signed, b
  /// is unsigned, and c consists of integers.
  template <int c, int a, int b>
  void dot_quads() {
    asm volatile("tdpbsud %%tmm%c2, %%tmm%c1, %%tmm%c0" : : "i"(c), "i"(a), "i"(b));
  }
  /// Computes c += a b for pairs of bf16.
  template <int c, int a, int b>
  void dot_pairs() {
    asm volatile("tdpbf16ps %%tmm%c2, %%tmm%c1, %%tmm%c0" : : "i"(c), "i"(a), "i"(b));
  }
};

#endif

}  // namespace nmt::cpu::NMT_ISA
