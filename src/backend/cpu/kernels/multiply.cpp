// Matrix products of small or odd shapes, and all products where oneDNN cannot keep rows independent of each
// other.
//
// c = a b is computed in blocks of tile_rows x tile_columns held in registers, over `depth` steps of k at a
// time: a is repacked so that a block's rows lie side by side for each k, b so that its columns do. An
// element is one chain of fused multiply-adds within each `depth`, and the chains are added in order: its
// bits depend on k alone, not on the shape of the block it is in.
#include "backend/cpu/kernels/operations.h"
#include "backend/cpu/kernels/vector.h"

namespace nmt::cpu::NMT_ISA {
namespace {

// Two vectors a row: enough sums to keep two units busy, and they fit the register file (32 or 16 vectors).
constexpr std::int64_t tile_columns = 2 * lanes;
constexpr std::int64_t tile_rows = lanes == 16 ? 12 : 6;
constexpr std::int64_t depth = 256;  // a panel of b stays in the first-level cache

constexpr std::int64_t least(std::int64_t a, std::int64_t b) {
  return a < b ? a : b;
}

// c (rows x columns, columns <= tile_columns) = or += a b over `k` steps; a: [k][rows], b: [k][tile_columns].
template <int rows>
void multiply_tile(std::int64_t k, const float* a, const float* b, float* c, std::int64_t stride,
                   std::int64_t columns, bool accumulate) {
  Vector sum[rows][2] = {};
  for (; k > 0; --k, a += rows, b += tile_columns) {
    const Vector b0 = load(b);
    const Vector b1 = load(b + lanes);
#pragma GCC unroll 16
    for (int r = 0; r < rows; ++r) {
      sum[r][0] += a[r] * b0;
      sum[r][1] += a[r] * b1;
    }
  }
  if (columns >= tile_columns) {
#pragma GCC unroll 16
    for (int r = 0; r < rows; ++r) {
      float* to = c + r * stride;
      store(to, accumulate ? load(to) + sum[r][0] : sum[r][0]);
      store(to + lanes, accumulate ? load(to + lanes) + sum[r][1] : sum[r][1]);
    }
    return;
  }
#pragma GCC unroll 16
  for (int r = 0; r < rows; ++r) {
    float row[tile_columns];
    store(row, sum[r][0]);
    store(row + lanes, sum[r][1]);
    float* to = c + r * stride;
    for (std::int64_t j = 0; j < columns; ++j) to[j] = accumulate ? to[j] + row[j] : row[j];
  }
}

using MultiplyTile = void (*)(std::int64_t, const float*, const float*, float*, std::int64_t, std::int64_t,
                              bool);

// multiply_tile for 1 .. tile_rows rows.
template <int rows>
struct Tiles : Tiles<rows - 1> {
  constexpr Tiles() { this->of_rows[rows] = multiply_tile<rows>; }
};
template <>
struct Tiles<0> {
  MultiplyTile of_rows[tile_rows + 1] = {};
};
constexpr Tiles<tile_rows> tiles;

// Rows of a block: blocks of nearly equal height, so that none is left with a row or two.
std::int64_t block_rows(std::int64_t rows) {
  const std::int64_t blocks = (rows + tile_rows - 1) / tile_rows;
  return blocks == 0 ? 1 : (rows + blocks - 1) / blocks;
}

// Steps [k, k + count) of the rows [row, row + height) of a, side by side for each step. Writes up to `lanes`
// floats more.
void pack_block(const MatrixView& a, std::int64_t row, std::int64_t height, std::int64_t k,
                std::int64_t count, float* to) {
  const float* from = a.data + row * a.row_stride + k * a.column_stride;
  std::int64_t i = 0;
  for (; a.column_stride == 1 && i + lanes <= count; i += lanes) {
    Vector square[lanes];
#pragma GCC unroll 16
    for (std::int64_t lane = 0; lane < lanes; ++lane)
      square[lane] = lane < height ? load(from + lane * a.row_stride + i) : Vector{};
    transpose(square);
    // Each store covers what the one before wrote too much.
#pragma GCC unroll 16
    for (std::int64_t lane = 0; lane < lanes; ++lane) store(to + (i + lane) * height, square[lane]);
  }
  for (; i < count; ++i)
    for (std::int64_t r = 0; r < height; ++r)
      to[i * height + r] = from[r * a.row_stride + i * a.column_stride];
}

// A panel of pack() at the columns of b that begin at `column`, of which `valid` are there.
void pack_panel(const MatrixView& b, std::int64_t column, std::int64_t width, std::int64_t valid, float* to) {
  const float* from = b.data + column * b.column_stride;
  const auto element = [&](std::int64_t i, std::int64_t j) {
    return j < valid ? from[i * b.row_stride + j * b.column_stride] : 0.0F;
  };
  const bool transposed = b.row_stride == 1;
  for (std::int64_t j = 0; j < width; j += lanes) {
    const bool inside = j + lanes <= width;
    std::int64_t i = 0;
    for (; inside && transposed && i + lanes <= b.rows; i += lanes) {
      Vector square[lanes];
#pragma GCC unroll 16
      for (std::int64_t lane = 0; lane < lanes; ++lane)
        square[lane] = j + lane < valid ? load(from + (j + lane) * b.column_stride + i) : Vector{};
      transpose(square);
#pragma GCC unroll 16
      for (std::int64_t lane = 0; lane < lanes; ++lane) store(to + (i + lane) * width + j, square[lane]);
    }
    for (; j + lanes <= valid && b.column_stride == 1 && i < b.rows; ++i)
      store(to + i * width + j, load(from + i * b.row_stride + j));
    for (; i < b.rows; ++i)
      for (std::int64_t l = j; l < least(j + lanes, width); ++l) to[i * width + l] = element(i, l);
  }
}

// c = or += a b; panel(k, count, column) gives the steps [k, k + count) of the panel of b that begins there.
template <class Panel>
void multiply_by_panels(const MatrixView& a, std::int64_t n, const MatrixTarget& c, float* scratch,
                        const Panel& panel) {
  const std::int64_t height = block_rows(a.rows);
  for (std::int64_t k = 0; k == 0 || k < a.columns; k += depth) {
    const std::int64_t count = least(depth, a.columns - k);
    for (std::int64_t r = 0; r < a.rows; r += height)
      pack_block(a, r, least(height, a.rows - r), k, count, scratch + r * count);
    for (std::int64_t column = 0; column < n; column += tile_columns) {
      const float* b = panel(k, count, column);
      for (std::int64_t r = 0; r < a.rows; r += height)
        tiles.of_rows[least(height, a.rows - r)](count, scratch + r * count, b,
                                                 c.data + r * c.row_stride + column, c.row_stride, n - column,
                                                 c.accumulate || k > 0);
    }
  }
}

}  // namespace

std::int64_t packed_columns() {
  return tile_columns;
}

void pack(const MatrixView& b, std::int64_t width, std::int64_t rows, float* to) {
  for (std::int64_t column = 0; column < b.columns; column += width, to += rows * width) {
    pack_panel(b, column, width, least(width, b.columns - column), to);
    __builtin_memset(to + b.rows * width, 0,
                     static_cast<std::size_t>((rows - b.rows) * width) * sizeof(float));
  }
}

std::int64_t multiply_scratch(std::int64_t m) {
  return depth * (m + tile_columns) + lanes;
}

void multiply_packed(const MatrixView& a, const float* b, std::int64_t n, const MatrixTarget& c,
                     float* scratch) {
  multiply_by_panels(a, n, c, scratch, [&](std::int64_t k, std::int64_t, std::int64_t column) {
    return b + column * a.columns + k * tile_columns;
  });
}

void multiply(const MatrixView& a, const MatrixView& b, const MatrixTarget& c, float* scratch) {
  float* packed = scratch + depth * a.rows + lanes;
  multiply_by_panels(a, b.columns, c, scratch, [&](std::int64_t k, std::int64_t count, std::int64_t column) {
    const MatrixView steps{b.data + k * b.row_stride, count, b.columns, b.row_stride, b.column_stride};
    pack_panel(steps, column, tile_columns, least(tile_columns, b.columns - column), packed);
    return packed;
  });
}

}  // namespace nmt::cpu::NMT_ISA
