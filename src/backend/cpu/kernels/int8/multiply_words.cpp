// Matrix products of i8 for processors that multiply integers in words of 16 bits alone. Few rows are taken
// as they are. Else two products are had by one multiplication (S. Winograd, A New Algorithm for Inner
// Product, 1968),
//   x0 w0 + x1 w1 = (x0 + w1) (x1 + w0) - x0 x1 - w0 w1,
// since such processors add faster than they multiply: what is taken off is summed once for a row, as it is
// quantised, and once for a column, for all rows. Sums may leave 32 bits on the way, and come back.
//
// Weights are quads w0 .. w3; rows have the words x0 x2 x1 x3 for each.
#include <immintrin.h>

#include "backend/cpu/kernels/int8/quads.h"

namespace nmt::cpu::NMT_ISA {
namespace {

using Shorts = std::int16_t __attribute__((vector_size(NMT_VECTOR_BYTES)));
using UnsignedWords = std::uint32_t __attribute__((vector_size(NMT_VECTOR_BYTES)));

constexpr std::int64_t kRows =
    kLanes == 16 ? 12 : 4;              // of a tile: sums, weights and factors fill all registers
constexpr std::int64_t kQuadBytes = 8;  // of a row

/// a + b + c, which may leave 32 bits on the way.
Words wrapping_sum(Words a, Words b, Words c) {
  return reinterpret_cast<Words>(reinterpret_cast<UnsignedWords>(a) + reinterpret_cast<UnsignedWords>(b) +
                                 reinterpret_cast<UnsignedWords>(c));
}

/// sum + the two products of each pair of words.
Words multiply_add(Words sum, Shorts a, Shorts b) {
#ifdef __AVX512BW__
  return reinterpret_cast<Words>(
      _mm512_add_epi32(reinterpret_cast<__m512i>(sum),
                       _mm512_madd_epi16(reinterpret_cast<__m512i>(a), reinterpret_cast<__m512i>(b))));
#else
  return reinterpret_cast<Words>(
      _mm256_add_epi32(reinterpret_cast<__m256i>(sum),
                       _mm256_madd_epi16(reinterpret_cast<__m256i>(a), reinterpret_cast<__m256i>(b))));
#endif
}

/// The words of kLanes quads of weights.
struct Weights {
  explicit Weights(const std::int8_t* from) {
    const auto quads = reinterpret_cast<Shorts>(load_words(from));
    even = quads << 8 >> 8;  // w0 and w2
    odd = quads >> 8;        // w1 and w3
  }
  Shorts even, odd;
};

/// Those of a quad of a row, for all lanes.
struct Row {
  explicit Row(const std::int8_t* from)
      : even(reinterpret_cast<Shorts>(word_at(from))), odd(reinterpret_cast<Shorts>(word_at(from + 4))) {}
  Shorts even, odd;
};

/// sum + the products of quads.
Words add_products(Words sum, const Row& x, const Weights& w) {
  return multiply_add(multiply_add(sum, x.even, w.even), x.odd, w.odd);
}

/// sum + the products of quads, x0 x1 + x2 x3 and w0 w1 + w2 w3.
Words add_paired_products(Words sum, const Row& x, const Weights& w) {
  return multiply_add(sum, x.even + w.odd, x.odd + w.even);
}

template <bool paired>
struct Tile {
  /// c (rows x columns) = a b.
  template <int rows>
  static void multiply(const QuadOperands& o, const TileColumns& finish, const ScaledTarget& c,
                       std::int64_t columns) {
    constexpr int kGroup = 3;  // rows that share a pointer: what one addressing mode can reach
    const std::int8_t* a[(rows + kGroup - 1) / kGroup];
    for (int g = 0; g * kGroup < rows; ++g) a[g] = o.a + g * kGroup * o.row_stride;
    Words sum[rows][2] = {};
    const std::int8_t* b = o.b;
    const std::int8_t* ahead = o.ahead;
    for (std::int64_t i = 0; i < o.steps; ++i, b += 4 * kTileColumns, ahead += o.ahead_step) {
      __builtin_prefetch(ahead, 0, 2);
      if constexpr (kLanes == 16) __builtin_prefetch(ahead + 4 * kLanes, 0, 2);
      const Weights w[2] = {Weights(b), Weights(b + 4 * kLanes)};
#pragma GCC unroll 16
      for (int r = 0; r < rows; ++r) {
        const Row x(a[r / kGroup] + r % kGroup * o.row_stride);
        for (int half = 0; half < 2; ++half)
          sum[r][half] =
              paired ? add_paired_products(sum[r][half], x, w[half]) : add_products(sum[r][half], x, w[half]);
      }
#pragma GCC unroll 16
      for (const std::int8_t*& of_group : a) of_group += kQuadBytes;
    }
#pragma GCC unroll 16
    for (int r = 0; r < rows; ++r) {
      Vector y[2];
      for (int half = 0; half < 2; ++half) {
        if (paired)
          sum[r][half] =
              wrapping_sum(sum[r][half], Words{} + o.start[r], load_words(o.column_start + half * kLanes));
        y[half] = finish(sum[r][half], half * kLanes, o.scale[r], c.relu);
      }
      store_row(y, c.data + r * c.row_stride, columns);
    }
  }
};
constexpr TilesOf<Tile<false>, kRows> kTiles;
constexpr TilesOf<Tile<true>, kRows> kPairedTiles;

/// Minus the sums of w0 w1 + w2 w3 of the columns of a panel.
struct ColumnStarts {
  ColumnStarts(const std::int8_t* panel, std::int64_t steps) {
    Words sum[2] = {};
    for (std::int64_t i = 0; i < steps; ++i)
      for (std::int64_t half = 0; half < 2; ++half, panel += 4 * kLanes) {
        const Weights w(panel);
        sum[half] = multiply_add(sum[half], w.even, w.odd);
      }
    for (std::int64_t half = 0; half < 2; ++half) store_words(words + half * kLanes, -sum[half]);
  }
  alignas(64) std::int32_t words[kTileColumns];
};

/// So many quads of a row are made at a time.
constexpr std::int64_t kQuads = 4;

constexpr std::int64_t row_quads(std::int64_t k) {
  return (quad_count(k) + kQuads - 1) / kQuads * kQuads;
}

/// The words of quads of a row.
void widen(const std::int8_t* from, std::int64_t quads, std::byte* to) {
  using Quads = std::int8_t __attribute__((vector_size(4 * kQuads)));
  using QuadsOfWords = std::int16_t __attribute__((vector_size(kQuadBytes * kQuads)));
  for (std::int64_t i = 0; i < quads; i += kQuads, from += sizeof(Quads), to += sizeof(QuadsOfWords)) {
    Quads x;
    std::memcpy(&x, from, sizeof x);
    const auto words = __builtin_convertvector(
        __builtin_shufflevector(x, x, 0, 2, 1, 3, 4, 6, 5, 7, 8, 10, 9, 11, 12, 14, 13, 15), QuadsOfWords);
    std::memcpy(to, &words, sizeof words);
  }
}

class WordProducts final : public IntegerProducts {
 public:
  std::int64_t packed_columns() const override { return kTileColumns; }
  std::int64_t packed_bytes(std::int64_t rows, std::int64_t columns) const override {
    return packed_quads(quad_count(rows), columns);
  }
  void pack(const Matrix& b, std::byte* to) const override { pack_quads(b, quad_count(b.rows), 0, to); }

  /// The quads, of which words are made, have their place behind those.
  std::int64_t row_bytes(std::int64_t k) const override {
    return ((kQuadBytes + 4) * row_quads(k) / 64 + 1) * 64;
  }

  void quantize(const MatrixView<float>& x, const QuantizedRows& to) const override {
    const std::int64_t quads = row_quads(x.columns);
    for (std::int64_t r = 0; r < x.rows; ++r) {
      std::byte* row = to.data + r * to.row_stride;
      auto* q = reinterpret_cast<std::int8_t*>(row + kQuadBytes * quads);
      to.scale[r] = cpu::NMT_ISA::quantize(x.data + r * x.row_stride, x.columns, q, 4 * quads);
      widen(q, quads, row);
      std::int32_t sum = 0;
      for (std::int64_t i = 0; i < 2 * quads; ++i) sum += q[2 * i] * q[2 * i + 1];
      to.start[r] = -sum;
    }
  }

  void multiply(const QuantizedRows& a, const std::byte* b, std::int64_t n,
                const ScaledTarget& c) const override {
    if (a.rows == 0) return;
    const std::int64_t height = block_rows(a.rows, kRows);
    const bool paired = a.rows > height;
    const std::int64_t steps = paired ? quad_count(a.columns) : 0;
    multiply_by_tiles(a, b, n, c, height, paired ? kPairedTiles.of_rows : kTiles.of_rows,
                      [&](const std::int8_t* panel) { return ColumnStarts(panel, steps); });
  }
};

}  // namespace

const IntegerProducts& word_products() {
  static const WordProducts products;
  return products;
}

}  // namespace nmt::cpu::NMT_ISA
