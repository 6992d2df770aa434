// Matrix products c = a b, in tiles of kTileRows x kTileColumns that are summed in registers over `kDepth`
// steps of k at a time.
//
// Rows of a are read in place, a float at a time. If the columns of a are contiguous (a is the transpose of
// the stored matrix), they are first copied together, one block of rows after another. b is read in panels of
// kTileColumns columns, which pack() lays out one after the other.
//
// An element is one chain of fused multiply-adds within each `kDepth`, and the chains are added in order: its
// bits depend only on its row of a and its column of b. If b is of bf16, which is widened when it is read,
// they are the bits for the same numbers in f32.
#include "backend/cpu/kernels/multiply.h"

#include "backend/cpu/kernels/bf16/pairs.h"
#include "backend/cpu/kernels/register_tile.h"

namespace nmt::cpu::NMT_ISA {
namespace {

constexpr std::int64_t kDepth = 256;       // a panel of b stays in the first-level cache
constexpr std::int64_t kFetchedRows = 16;  // how far ahead distant rows are prefetched
static_assert(kDepth % 2 == 0, "pairs are not divided");
static_assert(kRowsOfSum % kDepth == 0, "rows that are divided there must give the same sums");

/// The operands of a tile: element (r, i) of a is a[r * row_stride + i * a_step], the columns of b at step i
/// begin at b[i * b_step]; in pairs of bf16, which look like floats, those of two steps.
struct Operands {
  std::int64_t steps;
  const float* a;
  std::int64_t row_stride, a_step;
  const float* b;
  std::int64_t b_step;
  const float* ahead;  // data needed later, of which ahead_step floats are prefetched per step
  std::int64_t ahead_step;
};

/// How a tile reads a row of b: floats, or words with the bf16 of two steps, the first in the lower half.
/// Each step is one turn of the loop, so that no compiler adds the products of a word to each other first.
struct FloatRows {
  static constexpr std::int64_t kSteps = 1;  // of a row
  static Vector at(const float* b, std::int64_t /*step*/) { return load(b); }
};
struct PairRows {
  static constexpr std::int64_t kSteps = 2;
  static Vector at(const float* b, std::int64_t step) {
    const int shift = step % 2 == 0 ? 16 : 0;
    const Words pairs = reinterpret_cast<Words>(load(b));
    return reinterpret_cast<Vector>((pairs << shift) & static_cast<std::int32_t>(0xFFFF0000));
  }
};

template <class RowsOfB>
struct Tile {
  /// Computes c (rows x columns) = or += a b.
  template <int rows>
  static void multiply(const Operands& o, const MatrixTarget& c, std::int64_t columns) {
    constexpr int kGroup = 3;  // rows that share a pointer: the reach of one addressing mode
    const float* a[(rows + kGroup - 1) / kGroup];
    for (int g = 0; g * kGroup < rows; ++g) a[g] = o.a + g * kGroup * o.row_stride;
    TileSums<rows> sum = {};
    const float* b = o.b;
    const float* ahead = o.ahead;
    for (std::int64_t i = 0; i < o.steps; ++i, ahead += o.ahead_step) {
      __builtin_prefetch(ahead, 0, 2);
      if constexpr (kLanes > 4) __builtin_prefetch(ahead + kLanes, 0, 2);
      const Vector b0 = RowsOfB::at(b, i);
      const Vector b1 = RowsOfB::at(b + kLanes, i);
      if ((i + 1) % RowsOfB::kSteps == 0) b += o.b_step;
#pragma GCC unroll 16
      for (int r = 0; r < rows; ++r) {
        const Number factor = number_at(a[r / kGroup] + r % kGroup * o.row_stride);
        sum[r][0] = add_product(sum[r][0], b0, factor);
        sum[r][1] = add_product(sum[r][1], b1, factor);
      }
#pragma GCC unroll 16
      for (const float*& of_group : a) of_group += o.a_step;
    }
    store_sums<rows>(sum, c, columns);
  }
};

using Blocks = BlocksOf<float>;

/// Copies steps [k, k + count) of a, whose columns are contiguous, so that the rows of a block are adjacent.
/// Adds them to row_sums, if there is one, while they are in the cache.
Blocks gather_blocks(const Floats& a, std::int64_t height, std::int64_t k, std::int64_t count,
                     float* row_sums, float* to) {
  const Blocks blocks{to, height * count + kGatheredRows, 1, height};
  for (std::int64_t i = 0; i < count; ++i) {
    const float* from = a.data + (k + i) * a.column_stride;
    for (std::int64_t row = 0; row < a.rows; row += kLanes)
      __builtin_prefetch(from + kFetchedRows * a.column_stride + row);
    const std::int64_t readable = (a.columns - 1 - k - i) * a.column_stride + a.rows;
    float* block = to + i * height;
    for (std::int64_t row = 0; row < a.rows; row += height, block += blocks.stride) {
      // Each step overwrites the excess of the previous one.
      for (std::int64_t v = 0; v < kGatheredRows; v += kLanes) {
        if (row + v + kLanes <= readable)
          store(block + v, load(from + row + v));
        else
          // scalar: the last rows
          for (std::int64_t r = v; row + r < a.rows && r < height; ++r) block[r] = from[row + r];
      }
    }
    for (std::int64_t row = 0; row_sums != nullptr && row < a.rows; ++row) row_sums[row] += from[row];
  }
  return blocks;
}

Blocks blocks_of(const Floats& a, std::int64_t height, std::int64_t k, std::int64_t count, float* row_sums,
                 float* scratch) {
  if (a.row_stride == 1) return gather_blocks(a, height, k, count, row_sums, scratch);
  return {a.data + k, height * a.row_stride, a.row_stride, 1};
}

/// kTileColumns columns of b for some steps of k, `step` apart; `next` is the panel needed later.
struct Panel {
  const float* first;
  std::int64_t step;
  const float* next;
};

/// Copies columns [column, column + kLanes) of b, of which `valid` exist, to every kTileColumns-th float from
/// `to` on.
void pack_columns_of_transposed(const Floats& b, std::int64_t column, std::int64_t valid, float* to) {
  const float* from = b.data + column * b.column_stride;
  std::int64_t i = 0;
  for (; i + kLanes <= b.rows; i += kLanes) {
    Vector square[kLanes];
#pragma GCC unroll 16
    for (std::int64_t lane = 0; lane < kLanes; ++lane)
      square[lane] = lane < valid ? load(from + lane * b.column_stride + i) : Vector{};
    transpose(square);
#pragma GCC unroll 16
    for (std::int64_t lane = 0; lane < kLanes; ++lane) store(to + (i + lane) * kTileColumns, square[lane]);
  }
  for (; i < b.rows; ++i)
    for (std::int64_t lane = 0; lane < kLanes; ++lane)
      to[i * kTileColumns + lane] = lane < valid ? from[lane * b.column_stride + i] : 0.0F;
}

void pack_columns(const Floats& b, std::int64_t column, std::int64_t valid, float* to) {
  const float* from = b.data + column;
  for (std::int64_t i = 0; i < b.rows; ++i, from += b.row_stride, to += kTileColumns) {
    __builtin_prefetch(from + kFetchedRows * b.row_stride);
    if (valid >= kLanes)
      store(to, load(from));
    else
      for (std::int64_t lane = 0; lane < kLanes; ++lane) to[lane] = lane < valid ? from[lane] : 0.0F;
  }
}

/// Packs the panel of b from `column` on, with zeros past its last column.
void pack_panel(const Floats& b, std::int64_t column, float* to) {
  for (std::int64_t j = column; j < column + kTileColumns; j += kLanes, to += kLanes) {
    if (b.column_stride == 1)
      pack_columns(b, j, b.columns - j, to);
    else
      pack_columns_of_transposed(b, j, b.columns - j, to);
  }
}

/// Computes c = or += a b; panel(k, count, column) returns the steps [k, k + count) of the panel of b that
/// begins there.
template <class RowsOfB, class PanelAt>
void multiply_by_panels(const Floats& a, std::int64_t n, const MatrixTarget& c, float* scratch,
                        const PanelAt& panel_at) {
  static constexpr TilesOf<Tile<RowsOfB>> kTiles;
  if (a.rows == 0) return;
  const std::int64_t height = block_rows(a.rows);
  const std::int64_t ahead_step = (kTileColumns / RowsOfB::kSteps * height + a.rows - 1) / a.rows;
  for (std::int64_t k = 0; k == 0 || k < a.columns; k += kDepth) {
    const std::int64_t count = least(kDepth, a.columns - k);
    const Blocks blocks = blocks_of(a, height, k, count, c.row_sums, scratch);
    for (std::int64_t column = 0; column < n; column += kTileColumns) {
      const Panel panel = panel_at(k, count, column);
      Operands operands{.steps = count,
                        .a = blocks.first,
                        .row_stride = blocks.row_stride,
                        .a_step = blocks.step,
                        .b = panel.first,
                        .b_step = panel.step,
                        .ahead = panel.next,
                        .ahead_step = ahead_step};
      for (std::int64_t row = 0; row < a.rows; row += height) {
        const MatrixTarget tile{c.data + row * c.row_stride + column, c.row_stride, c.accumulate || k > 0,
                                nullptr};
        kTiles.of_rows[least(height, a.rows - row)](operands, tile, n - column);
        operands.a += blocks.stride;
        operands.ahead += ahead_step * count;
      }
    }
  }
}

class FloatMatrixProducts final : public MatrixProducts {
 public:
  std::int64_t packed_columns() const override { return kTileColumns; }
  std::int64_t packed_bytes(std::int64_t rows, std::int64_t columns) const override {
    const std::int64_t panels = (columns + kTileColumns - 1) / kTileColumns;
    return rows * panels * kTileColumns * static_cast<std::int64_t>(sizeof(float));
  }

  void pack(const Matrix& b, std::byte* to) const override {
    auto* panel = reinterpret_cast<float*>(to);
    for (std::int64_t column = 0; column < b.columns; column += kTileColumns, panel += b.rows * kTileColumns)
      pack_panel(as<float>(b), column, panel);
  }

  std::int64_t scratch(std::int64_t m) const override { return multiply_scratch(m); }

  void multiply(const Matrix& a, const std::byte* b, std::int64_t n, const MatrixTarget& c,
                float* scratch) const override {
    const auto* panels = reinterpret_cast<const float*>(b);
    multiply_by_panels<FloatRows>(as<float>(a), n, c, scratch,
                                  [&](std::int64_t k, std::int64_t, std::int64_t column) {
                                    const float* first = panels + column * a.columns + k * kTileColumns;
                                    return Panel{first, kTileColumns, first + a.columns * kTileColumns};
                                  });
  }
};

/// Products of floats with a matrix of bf16.
class WideningMatrixProducts final : public MatrixProducts {
 public:
  std::int64_t packed_columns() const override { return kTileColumns; }
  std::int64_t packed_bytes(std::int64_t rows, std::int64_t columns) const override {
    const std::int64_t panels = (columns + kTileColumns - 1) / kTileColumns;
    return pair_count(rows) * panels * kTileColumns * static_cast<std::int64_t>(sizeof(std::int32_t));
  }

  void pack(const Matrix& b, std::byte* to) const override {
    const std::int64_t steps = pair_count(b.rows);
    auto* panel = reinterpret_cast<BFloat16*>(to);
    for (std::int64_t column = 0; column < b.columns;
         column += kTileColumns, panel += 2 * steps * kTileColumns)
      pack_pairs(as<BFloat16>(b), column, kTileColumns, steps, panel);
  }

  std::int64_t scratch(std::int64_t m) const override { return multiply_scratch(m); }

  void multiply(const Matrix& a, const std::byte* b, std::int64_t n, const MatrixTarget& c,
                float* scratch) const override {
    const auto* panels = reinterpret_cast<const float*>(b);
    const std::int64_t steps = pair_count(a.columns);
    multiply_by_panels<PairRows>(as<float>(a), n, c, scratch,
                                 [&](std::int64_t k, std::int64_t, std::int64_t column) {
                                   const float* first = panels + column * steps + k / 2 * kTileColumns;
                                   return Panel{first, kTileColumns, first + steps * kTileColumns};
                                 });
  }
};

}  // namespace

const MatrixProducts& float_products() {
  static const FloatMatrixProducts products;
  return products;
}

const MatrixProducts& widening_products() {
  static const WideningMatrixProducts products;
  return products;
}

std::int64_t multiply_scratch(std::int64_t m) {
  return (kDepth + kLanes) * (m + kTileRows) + kDepth * kTileColumns;
}

void multiply(const Floats& a, const Floats& b, const MatrixTarget& c, float* scratch) {
  float* packed = scratch;
  float* rest = scratch + kDepth * kTileColumns;
  multiply_by_panels<FloatRows>(
      a, b.columns, c, rest, [&](std::int64_t k, std::int64_t count, std::int64_t column) {
        const float* first = b.data + k * b.row_stride + column;
        if (b.column_stride == 1 && column + kTileColumns <= b.columns)
          return Panel{first, b.row_stride, first};
        const Floats steps{b.data + k * b.row_stride, count, b.columns, b.row_stride, b.column_stride};
        pack_panel(steps, column, packed);
        return Panel{packed, kTileColumns, packed};
      });
}

}  // namespace nmt::cpu::NMT_ISA
