// Matrix products of bf16, a pair of elements at a time, analogous to multiply.cpp, which processes a float
// at a time: tiles of kTileRows x kTileColumns sums in registers over `kDepth` steps.
//
// Rows of a are read in place if they consist of whole pairs. Otherwise, or if columns are contiguous, they
// are copied together first.
//
// An element is one chain within each kDepth, and the chains are added in order: its bits depend only on its
// row of a and its column of b.
#include "backend/cpu/kernels/bf16/pairs.h"
#include "backend/cpu/kernels/register_tile.h"

namespace nmt::cpu::NMT_ISA {
namespace {

constexpr std::int64_t kDepth = 128;
static_assert(kRowsOfSum % (2 * kDepth) == 0, "rows that are divided there must give the same sums");

/// The operands of a tile: pair i of row r of a is at a[r * row_stride + i * a_step], pair i of the columns
/// of b begins at b[2 * kTileColumns * i].
struct Operands {
  std::int64_t steps;
  const BFloat16* a;
  std::int64_t row_stride, a_step;
  const BFloat16* b;
};

struct Tile {
  /// Computes c (rows x columns) = or += a b.
  template <int rows>
  static void multiply(const Operands& o, const MatrixTarget& c, std::int64_t columns) {
    constexpr int kGroup = 3;  // rows that share a pointer: the reach of one addressing mode
    const BFloat16* a[(rows + kGroup - 1) / kGroup];
    for (int g = 0; g * kGroup < rows; ++g) a[g] = o.a + g * kGroup * o.row_stride;
    TileSums<rows> sum = {};
    const BFloat16* b = o.b;
    for (std::int64_t i = 0; i < o.steps; ++i, b += 2 * kTileColumns) {
      const Words b0 = load_words(b);
      const Words b1 = load_words(b + 2 * kLanes);
#pragma GCC unroll 16
      for (int r = 0; r < rows; ++r) {
        const Factor factor = factor_at(a[r / kGroup] + r % kGroup * o.row_stride);
        sum[r][0] = dot_pairs(sum[r][0], b0, factor);
        sum[r][1] = dot_pairs(sum[r][1], b1, factor);
      }
#pragma GCC unroll 16
      for (const BFloat16*& of_group : a) of_group += o.a_step;
    }
    store_sums<rows>(sum, c, columns);
  }
};
constexpr TilesOf<Tile> kTiles;

using Blocks = BlocksOf<BFloat16>;

/// Copies steps [first, first + count) of a, whose columns are contiguous, so that the rows of a block are
/// adjacent.
Blocks gather_across(const Pairs& a, std::int64_t height, std::int64_t first, std::int64_t count,
                     BFloat16* to) {
  const Blocks blocks{to, 2 * (height * count + kGatheredRows), 2, 2 * height};
  const Pairs columns{a.data, a.columns, a.rows, a.column_stride, a.row_stride};  // transposed
  for (std::int64_t i = 0; i < count; ++i)
    for (std::int64_t row = 0; row < a.rows; row += height)
      for (std::int64_t v = 0; v < kGatheredRows;
           v += kLanes)  // each step overwrites the excess of the previous one
        store_words(to + row / height * blocks.stride + i * blocks.step + 2 * v,
                    pairs_across(columns, first + i, row + v));
  return blocks;
}

/// Copies steps of a whose rows end in the middle of a pair, so that the rows of a block are adjacent.
Blocks gather_along(const Pairs& a, std::int64_t height, std::int64_t first, std::int64_t count,
                    BFloat16* to) {
  const std::int64_t stride = 2 * (count + kLanes);  // vectors may be written past the last pair
  const Pairs columns{a.data, a.columns, a.rows, a.column_stride, a.row_stride};
  for (std::int64_t row = 0; row < a.rows; ++row)
    for (std::int64_t i = 0; i < count; i += kLanes)
      store_words(to + row * stride + 2 * i, pairs_along(columns, first + i, row));
  return {to, height * stride, stride, 2};
}

Blocks blocks_of(const Pairs& a, std::int64_t height, std::int64_t first, std::int64_t count,
                 BFloat16* scratch) {
  if (a.column_stride != 1) return gather_across(a, height, first, count, scratch);
  if (a.columns % 2 != 0) return gather_along(a, height, first, count, scratch);
  return {a.data + 2 * first, height * a.row_stride, a.row_stride, 2};
}

class PairMatrixProducts final : public MatrixProducts {
 public:
  std::int64_t packed_columns() const override { return kTileColumns; }
  std::int64_t packed_bytes(std::int64_t rows, std::int64_t columns) const override {
    const std::int64_t panels = (columns + kTileColumns - 1) / kTileColumns;
    return 2 * pair_count(rows) * panels * kTileColumns * static_cast<std::int64_t>(sizeof(BFloat16));
  }

  void pack(const Matrix& b, std::byte* to) const override {
    const std::int64_t steps = pair_count(b.rows);
    auto* panel = reinterpret_cast<BFloat16*>(to);
    for (std::int64_t column = 0; column < b.columns;
         column += kTileColumns, panel += 2 * steps * kTileColumns)
      pack_pairs(as<BFloat16>(b), column, kTileColumns, steps, panel);
  }

  std::int64_t scratch(std::int64_t m) const override { return (kDepth + kLanes) * (m + kTileRows); }

  void multiply(const Matrix& a, const std::byte* b, std::int64_t n, const MatrixTarget& c,
                float* scratch) const override {
    const Pairs m = as<BFloat16>(a);
    const auto* panels = reinterpret_cast<const BFloat16*>(b);
    if (m.rows == 0) return;
    const FlushedToZero flushed;
    const std::int64_t steps = pair_count(m.columns);
    const std::int64_t height = block_rows(m.rows);
    for (std::int64_t first = 0; first == 0 || first < steps; first += kDepth) {
      const std::int64_t count = least(kDepth, steps - first);
      if (c.row_sums != nullptr) add_rows(m, 2 * first, least(2 * count, m.columns - 2 * first), c.row_sums);
      const Blocks blocks = blocks_of(m, height, first, count, reinterpret_cast<BFloat16*>(scratch));
      for (std::int64_t column = 0; column < n; column += kTileColumns) {
        Operands operands{.steps = count,
                          .a = blocks.first,
                          .row_stride = blocks.row_stride,
                          .a_step = blocks.step,
                          .b = panels + 2 * (column * steps + first * kTileColumns)};
        for (std::int64_t row = 0; row < m.rows; row += height, operands.a += blocks.stride)
          kTiles.of_rows[least(height, m.rows - row)](
              operands,
              {c.data + row * c.row_stride + column, c.row_stride, c.accumulate || first > 0, nullptr},
              n - column);
      }
    }
  }
};

}  // namespace

const MatrixProducts& pair_products() {
  static const PairMatrixProducts products;
  return products;
}

}  // namespace nmt::cpu::NMT_ISA
