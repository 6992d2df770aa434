// Linear layers: matrix products in tiles, one thread a tile, each finished while it is in the cache.
#include "backend/cpu/cpu_backend.h"
#include "backend/cpu/parallel.h"

namespace nmt {
namespace {

using cpu::MatrixTarget;
using cpu::MatrixView;
using cpu::PackedWeight;
using cpu::parallel;
using cpu::Range;

// Tiles of a product with a weight: rows of the batch by a panel of the weight.
constexpr std::int64_t tile_rows = 128;
// Tiles of a weight's gradient.
constexpr std::int64_t gradient_tile = 256;
// Columns that one thread sums over all rows.
constexpr std::int64_t column_block = 64;
// Multiply-adds, and elements, below which waking another thread costs more than it saves.
constexpr std::int64_t thread_products = 1 << 19;
constexpr std::int64_t thread_elements = 16384;

MatrixView view(const Tensor& x) {
  return {x.data<float>(), x.rows(), x.columns(), x.row_stride(), 1};
}

MatrixView transposed(const MatrixView& x) {
  return {x.data, x.columns, x.rows, x.column_stride, x.row_stride};
}

MatrixView rows_of(const MatrixView& x, Range rows) {
  return {x.data + rows.begin * x.row_stride, rows.end - rows.begin, x.columns, x.row_stride,
          x.column_stride};
}

MatrixView columns_of(const MatrixView& x, Range columns) {
  return {x.data + columns.begin * x.column_stride, x.rows, columns.end - columns.begin, x.row_stride,
          x.column_stride};
}

MatrixTarget tile_of(const MatrixTarget& x, Range rows, Range columns) {
  return {x.data + rows.begin * x.row_stride + columns.begin, x.row_stride, x.accumulate};
}

std::int64_t parts(std::int64_t count, std::int64_t size) {
  return (count + size - 1) / size;
}

Range part_of(std::int64_t part, std::int64_t size, std::int64_t count) {
  return {part * size, std::min((part + 1) * size, count)};
}

}  // namespace

const PackedWeight& CpuBackend::packed(const MatrixView& b) {
  PackedWeight& weight = weights_.of(b);
  if (weight.current) return weight;
  weight.k = b.rows;
  weight.n = b.columns;
  weight.panel_size = products_[0]->packed_size(b.rows, std::min(PackedWeight::panel_columns, b.columns));
  float* data = weight.data.reserve(weight.panels() * weight.panel_size);
  parallel(threads_, weight.panels(), 1, [&](Range panels, int thread) {
    for (std::int64_t panel = panels.begin; panel < panels.end; ++panel)
      products_[static_cast<std::size_t>(thread)]->pack(columns_of(b, weight.columns(panel)),
                                                        data + panel * weight.panel_size);
  });
  weight.current = true;
  return weight;
}

template <class Finish>
void CpuBackend::multiply_by_weight(const MatrixView& a, const MatrixView& b, const MatrixTarget& c,
                                    const Finish& finish) {
  const PackedWeight& weight = packed(b);
  const std::int64_t row_tiles = parts(a.rows, tile_rows);
  const std::int64_t products = std::min(a.rows, tile_rows) * PackedWeight::panel_columns * weight.k;
  const std::int64_t grain = parts(thread_products, std::max<std::int64_t>(products, 1));
  parallel(threads_, weight.panels() * row_tiles, grain, [&](Range tiles, int thread) {
    for (std::int64_t tile = tiles.begin; tile < tiles.end; ++tile) {
      const std::int64_t panel = tile / row_tiles;
      const Range rows = part_of(tile % row_tiles, tile_rows, a.rows);
      const Range columns = weight.columns(panel);
      products_[static_cast<std::size_t>(thread)]->multiply_packed(
          rows_of(a, rows), weight.data.data() + panel * weight.panel_size, columns.end - columns.begin,
          tile_of(c, rows, columns));
      finish(rows, columns);
    }
  });
}

void CpuBackend::run(const Linear& linear) {
  const MatrixTarget y{linear.y.data<float>(), linear.y.row_stride(), false};
  multiply_by_weight(view(linear.x), transposed(view(linear.weight)), y,
                     [&](Range rows, Range columns) { kernels_.linear_epilogue(linear, rows, columns); });
}

void CpuBackend::run(const LinearBackward& linear) {
  const std::int64_t out = linear.dy.columns();
  const std::int64_t grain =
      parts(thread_elements, std::max<std::int64_t>(linear.dy.rows(), 1) * column_block);
  parallel(threads_, parts(out, column_block), grain, [&](Range blocks, int) {
    kernels_.linear_gradient(linear, {blocks.begin * column_block, std::min(blocks.end * column_block, out)});
  });
  if (linear.dx)
    multiply_by_weight(view(linear.dy), view(linear.weight),
                       {linear.dx.data<float>(), linear.dx.row_stride(), linear.accumulate_dx},
                       [](Range, Range) {});
  if (linear.d_weight && linear.dy.rows() > 0) add_weight_gradient(linear);
}

void CpuBackend::add_weight_gradient(const LinearBackward& linear) {
  const MatrixView dy = transposed(view(linear.dy));
  const MatrixView x = view(linear.x);
  const MatrixTarget d_weight{linear.d_weight.data<float>(), linear.d_weight.row_stride(), true};
  const std::int64_t column_tiles = parts(x.columns, gradient_tile);
  parallel(threads_, parts(dy.rows, gradient_tile) * column_tiles, 1, [&](Range tiles, int thread) {
    for (std::int64_t tile = tiles.begin; tile < tiles.end; ++tile) {
      const Range rows = part_of(tile / column_tiles, gradient_tile, dy.rows);
      const Range columns = part_of(tile % column_tiles, gradient_tile, x.columns);
      products_[static_cast<std::size_t>(thread)]->multiply(rows_of(dy, rows), columns_of(x, columns),
                                                            tile_of(d_weight, rows, columns));
    }
  });
}

}  // namespace nmt
