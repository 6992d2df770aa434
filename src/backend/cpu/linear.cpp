// Linear layers: matrix products in tiles, one thread a tile, each finished while it is in the cache.
#include "backend/cpu/cpu_backend.h"
#include "backend/cpu/parallel.h"

namespace nmt {
namespace {

using cpu::MatrixTarget;
using cpu::MatrixView;
using cpu::parallel;
using cpu::Range;

// A tile of a product: rows of the batch, and as many columns as there are where the rows alone keep all
// threads busy. Tiles change no bits.
constexpr std::int64_t tile_rows = 128;
constexpr std::int64_t tile_columns = 256;
constexpr std::int64_t most_tile_columns = 2048;  // a tile stays in the cache until it is finished
constexpr std::int64_t panel_columns = cpu::MatrixProduct::panel_columns;
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

const float* CpuBackend::packed(const MatrixView& weight) {
  cpu::PackedWeight& form = weights_.of(weight);
  float* data = form.data.reserve(product(0).packed_size(weight.rows, weight.columns));
  if (!form.current) pack(weight, data);
  form.current = true;
  return data;
}

void CpuBackend::pack(const MatrixView& b, float* to) {
  const std::int64_t grain = parts(thread_elements, std::max<std::int64_t>(b.rows, 1) * panel_columns);
  parallel(threads_, parts(b.columns, panel_columns), grain, [&](Range panels, int thread) {
    const Range columns{panels.begin * panel_columns, std::min(panels.end * panel_columns, b.columns)};
    product(thread).pack(columns_of(b, columns), to + product(thread).packed_size(b.rows, columns.begin));
  });
}

template <class Finish>
void CpuBackend::multiply(const MatrixView& a, const float* b, std::int64_t n, const MatrixTarget& c,
                          const Finish& finish) {
  const std::int64_t row_tiles = parts(a.rows, tile_rows);
  const std::int64_t width = row_tiles >= 2 * threads_ && n <= most_tile_columns ? n : tile_columns;
  const std::int64_t products = std::min(a.rows, tile_rows) * std::min(n, width) * a.columns;
  const std::int64_t grain = parts(thread_products, std::max<std::int64_t>(products, 1));
  parallel(threads_, parts(n, width) * row_tiles, grain, [&](Range tiles, int thread) {
    for (std::int64_t tile = tiles.begin; tile < tiles.end; ++tile) {
      const Range columns = part_of(tile / row_tiles, width, n);
      const Range rows = part_of(tile % row_tiles, tile_rows, a.rows);
      product(thread).multiply(rows_of(a, rows), b + product(thread).packed_size(a.columns, columns.begin),
                               columns.end - columns.begin, tile_of(c, rows, columns));
      finish(rows, columns);
    }
  });
}

void CpuBackend::run(const Linear& linear) {
  const MatrixTarget y{linear.y.data<float>(), linear.y.row_stride(), false};
  multiply(view(linear.x), packed(transposed(view(linear.weight))), linear.weight.rows(), y,
           [&](Range rows, Range columns) { kernels_.linear_epilogue(linear, rows, columns); });
}

void CpuBackend::run(const LinearBackward& linear) {
  const std::int64_t out = linear.dy.columns();
  const std::int64_t grain =
      parts(thread_elements, std::max<std::int64_t>(linear.dy.rows(), 1) * column_block);
  parallel(threads_, parts(out, column_block), grain, [&](Range blocks, int) {
    kernels_.linear_gradient(linear, {blocks.begin * column_block, std::min(blocks.end * column_block, out)});
  });
  const auto done = [](Range, Range) {};
  if (linear.dx)
    multiply(view(linear.dy), packed(view(linear.weight)), linear.weight.columns(),
             {linear.dx.data<float>(), linear.dx.row_stride(), linear.accumulate_dx}, done);
  if (linear.d_weight && linear.dy.rows() > 0) {
    const std::int64_t in = linear.x.columns();
    float* x = packed_rows_.reserve(product(0).packed_size(linear.x.rows(), in));
    pack(view(linear.x), x);
    multiply(transposed(view(linear.dy)), x, in,
             {linear.d_weight.data<float>(), linear.d_weight.row_stride(), true}, done);
  }
}

}  // namespace nmt
