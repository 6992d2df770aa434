// Matrix products of i8 by SMMLA, the instruction of i8mm that adds the products of two rows with two
// columns, eight elements at a time, to a square of four sums.
//
// Rows are quantized in pairs, whose octets alternate. Weights are packed in octets, too, each of which is a
// group of two words. Tiles are those of multiply_quads.cpp.
#include <arm_neon.h>

#include "backend/cpu/kernels/int8/quads.h"

namespace nmt::cpu::NMT_ISA {
namespace {

constexpr std::int64_t kOctet = 8;
constexpr std::int64_t kStepBytes = kOctet * kTileColumns;  // of a panel
constexpr int kSquares = kTileColumns / 2;                  // across a tile
static_assert(IntegerMatrixProducts::kRowGroup == 2);

constexpr std::int64_t octet_count(std::int64_t k) {
  return (k + kOctet - 1) / kOctet;
}

/// The operands of a tile: octets of pairs of rows of a, pairs being 2 * row_stride apart, and of the columns
/// of b.
struct Operands {
  std::int64_t steps;
  const std::int8_t* a;
  std::int64_t row_stride;
  const float* scale;  // of the rows
  const std::int8_t* b;
  const std::int8_t* ahead;  // data needed later, of which ahead_step bytes are prefetched per step
  std::int64_t ahead_step;
};

/// Returns the halves of two squares that belong to row 0 or 1: its sums of four columns.
template <int row>
Words row_of(int32x4_t first, int32x4_t second) {
  const auto a = vreinterpretq_s64_s32(first), b = vreinterpretq_s64_s32(second);
  return reinterpret_cast<Words>(row == 0 ? vzip1q_s64(a, b) : vzip2q_s64(a, b));
}

struct Tile {
  /// Computes c (rows x columns) = a b.
  template <int rows>
  static void multiply(const Operands& o, const TileColumns& finish, const ScaledTarget& c,
                       std::int64_t columns) {
    constexpr int kPairs = (rows + 1) / 2;
    // Separate sums of a pair, added at the end, so that there are enough to keep the units busy.
    constexpr int kChains = kPairs == 1 ? 4 : kPairs <= 3 ? 2 : 1;
    int32x4_t sum[kChains][kPairs][kSquares] = {};
    const std::int8_t *a = o.a, *b = o.b, *ahead = o.ahead;
    const auto add_step = [&](int32x4_t(&to)[kPairs][kSquares]) __attribute__((always_inline)) {
      __builtin_prefetch(ahead, 0, 2);
      int8x16_t weights[kSquares];  // of two columns each
#pragma GCC unroll 4
      for (int i = 0; i < kSquares; ++i) weights[i] = vld1q_s8(b + 2 * kOctet * i);
#pragma GCC unroll 16
      for (int p = 0; p < kPairs; ++p) {
        const int8x16_t factor = vld1q_s8(a + 2 * p * o.row_stride);
#pragma GCC unroll 4
        for (int i = 0; i < kSquares; ++i) to[p][i] = vmmlaq_s32(to[p][i], factor, weights[i]);
      }
      a += 2 * kOctet;
      b += kStepBytes;
      ahead += o.ahead_step;
    };
    std::int64_t i = 0;
    for (; i + kChains <= o.steps; i += kChains)
#pragma GCC unroll 4
      for (auto& chain : sum) add_step(chain);
    for (; i < o.steps; ++i) add_step(sum[0]);
#pragma GCC unroll 16
    for (int p = 0; p < kPairs; ++p) {
      for (int chain = 1; chain < kChains; ++chain)
        for (int j = 0; j < kSquares; ++j) sum[0][p][j] += sum[chain][p][j];
      const int32x4_t* squares = sum[0][p];
      const auto finish_row = [&](int r, Words left, Words right) {
        const Vector y[2] = {finish(left, 0, o.scale[r], c.relu), finish(right, kLanes, o.scale[r], c.relu)};
        store_row(y, c.data + r * c.row_stride, columns);
      };
      finish_row(2 * p, row_of<0>(squares[0], squares[1]), row_of<0>(squares[2], squares[3]));
      if (2 * p + 1 < rows)
        finish_row(2 * p + 1, row_of<1>(squares[0], squares[1]), row_of<1>(squares[2], squares[3]));
    }
  }
};
constexpr TilesOf<Tile> kTiles;

class OctetMatrixProducts final : public IntegerMatrixProducts {
 public:
  std::int64_t packed_columns() const override { return kTileColumns; }
  std::int64_t packed_bytes(std::int64_t rows, std::int64_t columns) const override {
    return packed_quads(2 * octet_count(rows), columns);
  }
  std::int64_t word_group() const override { return 2; }
  void pack(const Matrix& b, std::byte* to) const override {
    const std::int64_t steps = octet_count(b.rows);
    for (std::int64_t first = 0; first < b.columns; first += kTileColumns, to += kStepBytes * steps)
      for (std::int64_t j = 0; j < kTileColumns; ++j)
        for (std::int64_t i = 0; i < steps; ++i) {
          const std::int64_t valid = first + j < b.columns ? least(kOctet, b.rows - kOctet * i) : 0;
          std::int8_t octet[kOctet] = {};
          if (valid > 0)
            std::memcpy(octet, b.data + (first + j) * b.column_stride + kOctet * i,
                        static_cast<std::size_t>(valid));
          std::memcpy(to + kStepBytes * i + kOctet * j, octet, kOctet);
        }
  }

  std::int64_t row_bytes(std::int64_t k) const override { return quads_bytes(2 * octet_count(k)); }

  void quantize(const MatrixView<float>& x, const QuantizedRows& to) const override {
    constexpr std::int64_t kAtOnce = 8 * kOctet;
    for (std::int64_t r = 0; r < x.rows; ++r) {
      const float* row = x.data + r * x.row_stride;
      const RowScale scale = scale_of_row(row, x.columns);
      to.scale[r] = scale.scale;
      to.start[r] = 0;
      std::byte* octets = to.data + r / 2 * 2 * to.row_stride + r % 2 * kOctet;
      for (std::int64_t i = 0; i < x.columns; i += kAtOnce) {
        std::int8_t q[kAtOnce];
        quantize_elements(row + i, least(kAtOnce, x.columns - i), scale.factor, q, kAtOnce);
        for (std::int64_t j = 0; j < kAtOnce && i + j < x.columns; j += kOctet, octets += 2 * kOctet)
          std::memcpy(octets, q + j, kOctet);
      }
    }
  }

  void multiply(const QuantizedRows& a, const std::byte* b, std::int64_t n,
                const ScaledTarget& c) const override {
    if (a.rows == 0) return;
    const std::int64_t steps = octet_count(a.columns),
                       height = 2 * block_rows((a.rows + 1) / 2, kTileRows / 2);
    const std::int64_t ahead_step = (kStepBytes * height + a.rows - 1) / a.rows;
    const auto* panel = reinterpret_cast<const std::int8_t*>(b);
    for (std::int64_t column = 0; column < n; column += kTileColumns) {
      const TileColumns finish(c, column, n - column);
      const std::int8_t* next = panel + kStepBytes * steps;
      Operands operands{.steps = steps,
                        .a = reinterpret_cast<const std::int8_t*>(a.data),
                        .row_stride = a.row_stride,
                        .scale = a.scale,
                        .b = panel,
                        .ahead = next,
                        .ahead_step = ahead_step};
      for (std::int64_t row = 0; row < a.rows; row += height) {
        const ScaledTarget tile{c.data + row * c.row_stride + column, c.row_stride, nullptr, nullptr, c.relu};
        kTiles.of_rows[least(height, a.rows - row)](operands, finish, tile, n - column);
        operands.a += height * a.row_stride;
        operands.scale += height;
        operands.ahead += ahead_step * steps;
      }
      panel = next;
    }
  }
};

}  // namespace

const IntegerMatrixProducts& octet_products() {
  static const OctetMatrixProducts products;
  return products;
}

}  // namespace nmt::cpu::NMT_ISA
