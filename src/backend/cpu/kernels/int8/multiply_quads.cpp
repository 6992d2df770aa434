// Matrix products of i8, a quad of elements at a time, analogous to multiply.cpp, which processes a float at
// a time: tiles of kTileRows x kTileColumns sums in registers over all of k, which are finished there.
//
// On x86-64, instructions multiply unsigned bytes with signed ones (kFlip), so the weights w are packed as
// w + 128, and the sum of a row starts with the correction: -128 times the sum of the row.
//
// Where the sums of pairs pass through 16 bits (kSumsPairs), as without AVX512_VNNI and AVX_VNNI, rows are
// prepared for that (halves.h).
#include "backend/cpu/kernels/int8/halves.h"
#include "backend/cpu/kernels/int8/quads.h"

namespace nmt::cpu::NMT_ISA {
namespace {

/// The operands of a tile: quads of rows of a from a[r * row_stride] on, and of the columns of b, step i from
/// b[4 * kTileColumns * i] on.
struct Operands {
  std::int64_t steps;
  const std::int8_t* a;
  std::int64_t row_stride;
  const float* scale;         // of the rows
  const std::int32_t* start;  // initial sums of the rows
  const std::int8_t* b;
  const std::int8_t* ahead;  // data needed later, of which ahead_step bytes are prefetched per step
  std::int64_t ahead_step;
};

struct Tile {
  /// Computes c (rows x columns) = a b.
  template <int rows>
  static void multiply(const Operands& o, const TileColumns& finish, const ScaledTarget& c,
                       std::int64_t columns) {
    constexpr int kGroup = 3;  // rows that share a pointer: the reach of one addressing mode
    // Separate sums of a row, added at the end, so that there are enough to keep the units busy.
    constexpr int kChains = rows == 1 ? 4 : rows <= 3 ? 2 : 1;
    const std::int8_t* a[(rows + kGroup - 1) / kGroup];
    for (int g = 0; g * kGroup < rows; ++g) a[g] = o.a + g * kGroup * o.row_stride;
    Words sum[kChains][rows][2] = {};
    for (int r = 0; r < rows; ++r) sum[0][r][0] = sum[0][r][1] = Words{} + o.start[r];
    const std::int8_t* b = o.b;
    const std::int8_t* ahead = o.ahead;
    const auto add_step = [&](Words(&to)[rows][2]) __attribute__((always_inline)) {
      __builtin_prefetch(ahead, 0, 2);
      if constexpr (kLanes == 16) __builtin_prefetch(ahead + 4 * kLanes, 0, 2);
      const Words b0 = load_words(b);
      const Words b1 = load_words(b + 4 * kLanes);
#pragma GCC unroll 16
      for (int r = 0; r < rows; ++r) {
        const Factor factor = factor_at(a[r / kGroup] + r % kGroup * o.row_stride);
        to[r][0] = dot_quads(to[r][0], b0, factor);
        to[r][1] = dot_quads(to[r][1], b1, factor);
      }
#pragma GCC unroll 16
      for (const std::int8_t*& of_group : a) of_group += 4;
      b += 4 * kTileColumns;
      ahead += o.ahead_step;
    };
    std::int64_t i = 0;
    for (; i + kChains <= o.steps; i += kChains)
#pragma GCC unroll 16
      for (auto& chain : sum) add_step(chain);
    for (; i < o.steps; ++i) add_step(sum[0]);
    if constexpr (kSumsPairs) {
#pragma GCC unroll 16
      for (int r = 0; r < rows; ++r)
        for (const Half* half = halves_of(o.a + r * o.row_stride, o.steps); half->step != kNone; ++half) {
          const std::int8_t* weights = o.b + std::int64_t{4} * kTileColumns * half->step;
          const Factor factor = factor_at(half->quad);
          sum[0][r][0] = dot_quads(sum[0][r][0], load_words(weights), factor);
          sum[0][r][1] = dot_quads(sum[0][r][1], load_words(weights + 4 * kLanes), factor);
        }
    }
#pragma GCC unroll 16
    for (int r = 0; r < rows; ++r) {
      Vector y[2];
      for (int half = 0; half < 2; ++half) {
        Words total = sum[0][r][half];
        for (int chain = 1; chain < kChains; ++chain) total += sum[chain][r][half];
        y[half] = finish(total, half * kLanes, o.scale[r], c.relu);
      }
      store_row(y, c.data + r * c.row_stride, columns);
    }
  }
};
constexpr TilesOf<Tile> kTiles;

class QuadMatrixProducts final : public IntegerMatrixProducts {
 public:
  std::int64_t packed_columns() const override { return kTileColumns; }
  std::int64_t packed_bytes(std::int64_t rows, std::int64_t columns) const override {
    return packed_quads(quad_count(rows), columns);
  }
  void pack(const Matrix& b, std::byte* to) const override { pack_quads(b, quad_count(b.rows), kFlip, to); }
  std::uint32_t inverted_bits() const override { return 0x01010101U * kFlip; }

  std::int64_t row_bytes(std::int64_t k) const override {
    return quads_bytes(quad_count(k)) + (kSumsPairs ? halves_bytes(quad_count(k)) : 0);
  }

  void quantize(const MatrixView<float>& x, const QuantizedRows& to) const override {
    const std::int64_t quads = quad_count(x.columns), size = quads_bytes(quads);
    for (std::int64_t r = 0; r < x.rows; ++r) {
      auto* q = reinterpret_cast<std::int8_t*>(to.data + r * to.row_stride);
      to.scale[r] = cpu::NMT_ISA::quantize(x.data + r * x.row_stride, x.columns, q, size);
      Words sums = {};
      for (std::int64_t i = 0; i < x.columns; i += 4 * kLanes)
        sums = dot_quads(sums, Words{} + 0x01010101, load_words(q + i));
      std::int32_t sum = 0;
      for (std::int64_t lane = 0; lane < kLanes; ++lane) sum += sums[lane];
      to.start[r] =
          static_cast<std::int32_t>(-std::uint32_t{kFlip} * static_cast<std::uint32_t>(sum));  // may wrap
      if constexpr (kSumsPairs) divide_quads(q, quads);
    }
  }

  void multiply(const QuantizedRows& a, const std::byte* b, std::int64_t n,
                const ScaledTarget& c) const override {
    if (a.rows == 0) return;
    const std::int64_t steps = quad_count(a.columns), height = block_rows(a.rows);
    const std::int64_t ahead_step = (4 * kTileColumns * height + a.rows - 1) / a.rows;
    const auto* panel = reinterpret_cast<const std::int8_t*>(b);
    for (std::int64_t column = 0; column < n; column += kTileColumns) {
      const TileColumns finish(c, column, n - column);
      const std::int8_t* next = panel + 4 * steps * kTileColumns;
      Operands operands{.steps = steps,
                        .a = reinterpret_cast<const std::int8_t*>(a.data),
                        .row_stride = a.row_stride,
                        .scale = a.scale,
                        .start = a.start,
                        .b = panel,
                        .ahead = next,
                        .ahead_step = ahead_step};
      for (std::int64_t row = 0; row < a.rows; row += height) {
        const ScaledTarget tile{c.data + row * c.row_stride + column, c.row_stride, nullptr, nullptr, c.relu};
        kTiles.of_rows[least(height, a.rows - row)](operands, finish, tile, n - column);
        operands.a += height * a.row_stride;
        operands.scale += height;
        operands.start += height;
        operands.ahead += ahead_step * steps;
      }
      panel = next;
    }
  }
};

}  // namespace

const IntegerMatrixProducts& quad_products() {
  static const QuadMatrixProducts products;
  return products;
}

}  // namespace nmt::cpu::NMT_ISA
