// Linear layers: matrix products in tiles, one thread a tile, each finished while it is in the cache.
#include "backend/cpu/cpu_backend.h"
#include "backend/cpu/parallel.h"

namespace nmt {
namespace {

using cpu::blocks;
using cpu::items_of;
using cpu::kThreadElements;
using cpu::MatrixTarget;
using cpu::MatrixView;
using cpu::parallel;
using cpu::Range;

// A tile of a product, small enough to stay in the cache until it is finished: of fewer columns where rows
// alone are too few to keep all threads busy. Tiles change no bits.
constexpr std::int64_t kTileRows = 128;
constexpr std::int64_t kTileColumns = 512;
constexpr std::int64_t kLeastTileColumns = 128;
// Multiply-adds below which waking another thread costs more than it saves.
constexpr std::int64_t kThreadProducts = 1 << 19;

MatrixView view(const Tensor& x) {
  return {x.data<float>(), x.rows(), x.columns(), x.row_stride(), 1};
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
  // The first tile of some rows sums them.
  const bool sum = x.row_sums != nullptr && columns.begin == 0;
  return {x.data + rows.begin * x.row_stride + columns.begin, x.row_stride, x.accumulate,
          sum ? x.row_sums + rows.begin : nullptr};
}

}  // namespace

std::int64_t CpuBackend::packed_size(std::int64_t k, std::int64_t n) const {
  const std::int64_t panel = kernels_.packed_columns();
  return k * blocks(n, panel) * panel;
}

const float* CpuBackend::packed(const MatrixView& weight) {
  return weights_->of(weight, packed_size(weight.rows, weight.columns),
                      [&](float* form) { pack(weight, form); });
}

void CpuBackend::pack(const MatrixView& b, float* to) {
  const std::int64_t panel = kernels_.packed_columns();
  const std::int64_t grain = blocks(kThreadElements, std::max<std::int64_t>(b.rows, 1) * panel);
  parallel(threads_, blocks(b.columns, panel), grain, [&](Range panels, int) {
    const Range columns = items_of(panels, panel, b.columns);
    kernels_.pack(columns_of(b, columns), to + packed_size(b.rows, columns.begin));
  });
}

template <class Finish>
void CpuBackend::multiply(const MatrixView& a, const float* b, std::int64_t n, const MatrixTarget& c,
                          const Finish& finish) {
  const std::int64_t row_tiles = blocks(a.rows, kTileRows);
  const std::int64_t width = row_tiles >= 2 * threads_ ? kTileColumns : kLeastTileColumns;
  const std::int64_t products = std::min(a.rows, kTileRows) * std::min(n, width) * a.columns;
  const std::int64_t grain = blocks(kThreadProducts, std::max<std::int64_t>(products, 1));
  parallel(threads_, blocks(n, width) * row_tiles, grain, [&](Range tiles, int thread) {
    float* scratch = scratch_[static_cast<std::size_t>(thread)].reserve(kernels_.multiply_scratch(kTileRows));
    for (std::int64_t tile = tiles.begin; tile < tiles.end; ++tile) {
      const Range columns = items_of(tile / row_tiles, width, n);
      const Range rows = items_of(tile % row_tiles, kTileRows, a.rows);
      kernels_.multiply_packed(rows_of(a, rows), b + packed_size(a.columns, columns.begin),
                               columns.end - columns.begin, tile_of(c, rows, columns), scratch);
      finish(rows, columns);
    }
  });
}

void CpuBackend::run(const Linear& linear) {
  const MatrixTarget y{linear.y.data<float>(), linear.y.row_stride(), false};
  multiply(view(linear.x), packed(view(linear.weight).transposed()), linear.weight.rows(), y,
           [&](Range rows, Range columns) { kernels_.linear_epilogue(linear, rows, columns); });
}

void CpuBackend::run(const LinearBackward& linear) {
  if (linear.dropout.active() || linear.activation != Activation::none) {
    const std::int64_t grain = blocks(kThreadElements, std::max<std::int64_t>(linear.dy.columns(), 1));
    parallel(threads_, linear.dy.rows(), grain,
             [&](Range rows, int) { kernels_.linear_gradient(linear, rows); });
  }
  const auto done = [](Range, Range) {};
  if (linear.dx)
    multiply(view(linear.dy), packed(view(linear.weight)), linear.weight.columns(),
             {linear.dx.data<float>(), linear.dx.row_stride(), linear.accumulate_dx}, done);
  if (linear.d_weight && linear.dy.rows() > 0) {
    const std::int64_t in = linear.x.columns();
    float* x = packed_rows_.reserve(packed_size(linear.x.rows(), in));
    pack(view(linear.x), x);
    float* row_sums = linear.d_bias ? linear.d_bias.data<float>() : nullptr;
    multiply(view(linear.dy).transposed(), x, in,
             {linear.d_weight.data<float>(), linear.d_weight.row_stride(), true, row_sums}, done);
  }
}

}  // namespace nmt
