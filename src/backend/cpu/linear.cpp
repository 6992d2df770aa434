// Linear layers: matrix products in tiles, one thread per tile, each finished while it is in the cache; word
// embeddings, which may be read from weights packed for products; and the rounding to 8 bits that prepares
// models for layers of integers.
#include <cstring>
#include <utility>

#include "backend/cpu/cpu_backend.h"
#include "backend/cpu/thread_pool.h"
#include "tensor/dtype.h"
#include "tensor/reals.h"

namespace nmt {
namespace {

using cpu::blocks;
using cpu::grain_of;
using cpu::IntegerMatrixProducts;
using cpu::items_of;
using cpu::kThreadElements;
using cpu::Matrix;
using cpu::MatrixTarget;
using cpu::parallel;
using cpu::QuantizedRows;
using cpu::Range;

// A tile of a product, small enough to stay in the cache until it is finished. It has fewer columns if the
// rows alone do not keep all threads busy. The size of tiles does not change any bits.
constexpr std::int64_t kTileRows = 128;
constexpr std::int64_t kTileColumns = 512;
constexpr std::int64_t kLeastTileColumns = 128;
// Multiply-adds below which waking another thread costs more than it saves.
constexpr std::int64_t kThreadProducts = 1 << 19;
// The scale of a quantized row, and the initial value of its sums.
constexpr std::int64_t kBytesBesideRow = sizeof(float) + sizeof(std::int32_t);

Matrix view(const Tensor& x) {
  const auto size = static_cast<std::int64_t>(size_of(x.dtype()));
  return {static_cast<const std::byte*>(x.raw()), x.rows(), x.columns(), size * x.row_stride(), size};
}

Matrix rows_of(const Matrix& x, Range rows) {
  return {x.data + rows.begin * x.row_stride, rows.end - rows.begin, x.columns, x.row_stride,
          x.column_stride};
}

QuantizedRows rows_of(const QuantizedRows& x, Range rows) {
  QuantizedRows part = x;
  part.data += rows.begin * x.row_stride;
  part.rows = rows.end - rows.begin;
  part.scale += rows.begin;
  part.start += rows.begin;
  return part;
}

Matrix columns_of(const Matrix& x, Range columns) {
  return {x.data + columns.begin * x.column_stride, x.rows, columns.end - columns.begin, x.row_stride,
          x.column_stride};
}

/// Copies a row of a weight, of `bytes` bytes, from the packed form of its transpose, whose panels have no
/// padding along the row.
void unpack(const cpu::Packing& packing, const std::byte* form, std::int64_t row, std::int64_t bytes,
            std::byte* to) {
  using Word = std::uint32_t;
  constexpr std::int64_t kWord = sizeof(Word);
  const std::int64_t width = packing.packed_columns(), group = packing.word_group() * kWord;
  const std::byte* from = form + row / width * width * bytes + row % width * group;
  for (std::int64_t first = 0; first < bytes; first += group, from += width * group)
    for (std::int64_t at = 0; at < group; at += kWord) {
      Word word;
      std::memcpy(&word, from + at, kWord);
      word ^= packing.inverted_bits();
      std::memcpy(to + first + at, &word, kWord);
    }
}

/// Returns the target of float matrix products. f32 results stay there; other types are narrowed from tiles,
/// which have no common memory.
MatrixTarget target(const Tensor& x, bool accumulate) {
  if (x.dtype() != DType::f32) return {};
  return {x.data<float>(), x.row_stride(), accumulate};
}

/// Returns a tile of x, in `memory` if x has no memory.
MatrixTarget tile_of(const MatrixTarget& x, Range rows, Range columns, float* memory) {
  if (x.data == nullptr) return {memory, kTileColumns, false};
  // The first tile of each group of rows computes their sums.
  const bool sum = x.row_sums != nullptr && columns.begin == 0;
  return {x.data + rows.begin * x.row_stride + columns.begin, x.row_stride, x.accumulate,
          sum ? x.row_sums + rows.begin : nullptr};
}

/// Memory for a row: as f32, and its integers.
struct RowMemory {
  float* x;
  std::int8_t* q;
};

template <class T>
void fake_quantize(const FakeQuantize& quantize, cpu::Range rows, const RowMemory& memory) {
  const std::int64_t columns = quantize.x.columns();
  for (std::int64_t r = rows.begin; r < rows.end; ++r) {
    const T* x = quantize.x.row<T>(r);
    T* y = quantize.y.row<T>(r);
    for (std::int64_t i = 0; i < columns; ++i) memory.x[i] = x[i];
    const float scale = quantize_row(memory.x, columns, memory.q);
    for (std::int64_t i = 0; i < columns; ++i) y[i] = scale * static_cast<float>(memory.q[i]);
  }
}

}  // namespace

const cpu::Packing& CpuBackend::packing_of(DType elements) const {
  if (elements == DType::i8) return *integer_products_;
  return products_with(elements);
}

const cpu::MatrixProducts& CpuBackend::products_with(DType weights) const {
  return weights == precision_.compute ? matrix_products_ : *instructions_.widening_products;
}

const std::byte* CpuBackend::packed(const Tensor& weight, const Matrix& b) {
  const cpu::Packing& packing = packing_of(weight.dtype());
  return weights_->of(b, packing.packed_bytes(b.rows, b.columns),
                      [&](std::byte* form) { pack(packing, b, form); });
}

void CpuBackend::pack(const cpu::Packing& packing, const Matrix& b, std::byte* to) {
  const std::int64_t panel = packing.packed_columns();
  const std::int64_t grain = blocks(kThreadElements, std::max<std::int64_t>(b.rows, 1) * panel);
  parallel(pool_, blocks(b.columns, panel), grain, [&](Range panels, int) {
    const Range columns = items_of(panels, panel, b.columns);
    packing.pack(columns_of(b, columns), to + packing.packed_bytes(b.rows, columns.begin));
  });
}

const std::byte* CpuBackend::packed_transpose(const Tensor& weight) {
  if (weight.is_prepacked()) return static_cast<const std::byte*>(weight.prepacked_data());
  return packed(weight, view(weight).transposed());
}

Tensor CpuBackend::prepack(const Tensor& weight, std::int64_t parts, std::size_t room) {
  // Without padding along its rows, a panel of the packed form (of the transpose) occupies the same memory as
  // its rows, and the forms of adjacent parts without padding are together the form of all of them.
  const cpu::Packing& packing = packing_of(weight.dtype());
  const Matrix b = view(weight).transposed();
  const std::int64_t panel = packing.packed_columns(), bytes = packing.packed_bytes(b.rows, panel);
  const std::int64_t needed = parts * packing.packed_bytes(b.rows, b.columns / parts);
  if (!weight.contiguous() || bytes != panel * b.column_stride || std::cmp_greater(needed, room))
    return weight;
  if (parts > 1 && std::cmp_not_equal(needed, weight.bytes())) return weight;
  auto* memory = static_cast<std::byte*>(weight.raw());
  const std::int64_t grain = blocks(kThreadElements, panel * b.rows);
  parallel(pool_, blocks(b.columns, panel), grain, [&](Range panels, int thread) {
    auto* rows = reinterpret_cast<std::byte*>(
        scratch_[static_cast<std::size_t>(thread)].reserve(blocks(bytes, sizeof(float))));
    for (std::int64_t i = panels.begin; i < panels.end; ++i) {
      const Range columns = items_of(i, panel, b.columns);
      const std::int64_t count = columns.end - columns.begin;
      std::memcpy(rows, memory + i * bytes, static_cast<std::size_t>(count * b.column_stride));
      packing.pack({rows, b.rows, count, b.row_stride, b.column_stride}, memory + i * bytes);
    }
  });
  return weight.prepacked(parts);
}

Embedding CpuBackend::with_looked_up_rows(const Embedding& embedding) {
  const Tensor& table = embedding.table;
  const cpu::Packing& packing = packing_of(table.dtype());
  const std::int64_t count = embedding.ids.columns(),
                     row = table.columns() * static_cast<std::int64_t>(size_of(table.dtype()));
  std::byte* const memory = looked_up_.reserve(count * (row + kBytesBesideRow));
  auto* const scales = reinterpret_cast<float*>(memory + count * row);
  auto* const ids = reinterpret_cast<std::int32_t*>(scales + count);
  const auto* const wanted = embedding.ids.data<std::int32_t>();
  parallel(pool_, count, grain_of(table.columns()), [&](Range rows, int) {
    for (std::int64_t i = rows.begin; i < rows.end; ++i) {
      ids[i] = wanted[i] < 0 ? -1 : static_cast<std::int32_t>(i);  // -1: the zero vector
      if (wanted[i] < 0) continue;
      unpack(packing, static_cast<const std::byte*>(table.prepacked_data()), wanted[i], row,
             memory + i * row);
      if (embedding.table_scale) scales[i] = embedding.table_scale.data<float>()[wanted[i]];
    }
  });
  const std::shared_ptr<void> storage(memory, [](void*) {});  // looked_up_ owns the memory
  Embedding found = embedding;
  found.table = Tensor(count, table.columns(), table.dtype(), memory, storage);
  if (embedding.table_scale) found.table_scale = Tensor(1, count, DType::f32, scales, storage);
  found.ids = Tensor(1, count, DType::i32, ids, storage);
  return found;
}

void CpuBackend::run(const Embedding& embedding) {
  const Embedding rows = embedding.table.is_prepacked() ? with_looked_up_rows(embedding) : embedding;
  parallel(pool_, rows.y.rows(), grain_of(rows.y.columns()),
           [&](Range range, int) { kernels_.embedding(rows, range); });
}

template <class Body>
void CpuBackend::for_tiles(std::int64_t rows, std::int64_t columns, std::int64_t steps, const Body& body) {
  const std::int64_t row_tiles = blocks(rows, kTileRows);
  const std::int64_t width = row_tiles >= 2 * pool_.size() ? kTileColumns : kLeastTileColumns;
  const std::int64_t products = std::min(rows, kTileRows) * std::min(columns, width) * steps;
  const std::int64_t grain = blocks(kThreadProducts, std::max<std::int64_t>(products, 1));
  parallel(pool_, blocks(columns, width) * row_tiles, grain, [&](Range tiles, int thread) {
    for (std::int64_t tile = tiles.begin; tile < tiles.end; ++tile)
      body(items_of(tile % row_tiles, kTileRows, rows), items_of(tile / row_tiles, width, columns), thread);
  });
}

template <class Finish>
void CpuBackend::multiply(const cpu::MatrixProducts& products, const Matrix& a, const std::byte* b,
                          std::int64_t n, const MatrixTarget& c, const Finish& finish) {
  const std::int64_t tile_size = c.data == nullptr ? kTileRows * kTileColumns : 0;
  for_tiles(a.rows, n, a.columns, [&](Range rows, Range columns, int thread) {
    float* memory =
        scratch_[static_cast<std::size_t>(thread)].reserve(tile_size + products.scratch(kTileRows));
    const MatrixTarget product = tile_of(c, rows, columns, memory);
    products.multiply(rows_of(a, rows), b + products.packed_bytes(a.columns, columns.begin),
                      columns.end - columns.begin, product, memory + tile_size);
    finish(rows, columns, product);
  });
}

QuantizedRows CpuBackend::quantized(const Tensor& x) {
  const std::int64_t stride = integer_products_->row_bytes(x.columns());
  const std::int64_t padded_rows =
      blocks(x.rows(), IntegerMatrixProducts::kBlockRows) * IntegerMatrixProducts::kBlockRows;
  std::byte* memory = quantized_.reserve(padded_rows * (stride + kBytesBesideRow));
  auto* scales = reinterpret_cast<float*>(memory + padded_rows * stride);
  const QuantizedRows q{memory, x.rows(), x.columns(),
                        stride, scales,   reinterpret_cast<std::int32_t*>(scales + padded_rows)};
  constexpr std::int64_t kGroup = IntegerMatrixProducts::kRowGroup;
  parallel(pool_, blocks(x.rows(), kGroup), grain_of(kGroup * x.columns()), [&](Range groups, int) {
    const Range rows = items_of(groups, kGroup, x.rows());
    integer_products_->quantize(cpu::as<float>(rows_of(view(x), rows)), rows_of(q, rows));
  });
  return q;
}

CpuBackend::Factors CpuBackend::factors_of(const Linear& linear) {
  const bool is_quantized = linear.weight.dtype() == DType::i8;
  return {is_quantized ? quantized(linear.x) : QuantizedRows(), packed_transpose(linear.weight)};
}

void CpuBackend::multiply_quantized(const Linear& linear, const Factors& factors) {
  const QuantizedRows& x = factors.x;
  // The product includes the bias and relu.
  Linear rest = linear;
  rest.bias = {};
  const bool relu = linear.activation == Activation::relu;
  if (relu) rest.activation = Activation::none;
  const MatrixTarget y = target(linear.y, false);
  for_tiles(x.rows, linear.y.columns(), x.columns, [&](Range rows, Range columns, int) {
    const MatrixTarget product = tile_of(y, rows, columns, nullptr);
    integer_products_->multiply(rows_of(x, rows),
                                factors.weight + integer_products_->packed_bytes(x.columns, columns.begin),
                                columns.end - columns.begin,
                                {.data = product.data,
                                 .row_stride = product.row_stride,
                                 .column_scale = linear.weight_scale.data<float>() + columns.begin,
                                 .bias = linear.bias ? linear.bias.data<float>() + columns.begin : nullptr,
                                 .relu = relu});
    kernels_.linear_epilogue(rest, rows, columns, product);
  });
}

void CpuBackend::multiply(const Linear& linear, const Factors& factors) {
  if (linear.weight.dtype() == DType::i8) {
    multiply_quantized(linear, factors);
    return;
  }
  multiply(products_with(linear.weight.dtype()), view(linear.x), factors.weight, linear.y.columns(),
           target(linear.y, false), [&](Range rows, Range columns, const MatrixTarget& product) {
             kernels_.linear_epilogue(linear, rows, columns, product);
           });
}

void CpuBackend::multiply_columns(const Linear& linear, const Factors& factors, Range columns,
                                  const Tensor& y) {
  const std::int64_t first = columns.begin, count = columns.end - columns.begin;
  Linear part = linear;
  if (linear.weight_scale) part.weight_scale = linear.weight_scale.slice_columns(first, count);
  if (linear.bias) part.bias = linear.bias.slice_columns(first, count);
  part.y = y;
  const std::int64_t before = packing_of(linear.weight.dtype()).packed_bytes(linear.weight.columns(), first);
  multiply(part, {factors.x, factors.weight + before});
}

void CpuBackend::run(const Linear& linear) {
  multiply(linear, factors_of(linear));
}

void CpuBackend::run(const LinearBackward& linear) {
  if (linear.dropout.active() || linear.activation != Activation::none) {
    parallel(pool_, linear.dy.rows(), grain_of(linear.dy.columns()),
             [&](Range rows, int) { kernels_.linear_gradient(linear, rows); });
  }
  if (linear.dx)
    multiply(matrix_products_, view(linear.dy), packed(linear.weight, view(linear.weight)),
             linear.weight.columns(), target(linear.dx, linear.accumulate_dx),
             [&](Range rows, Range columns, const MatrixTarget& product) {
               kernels_.linear_dx(linear, rows, columns, product);
             });
  if (linear.d_weight && linear.dy.rows() > 0) {
    const Matrix x = view(linear.x);
    std::byte* packed_x = packed_rows_.reserve(matrix_products_.packed_bytes(x.rows, x.columns));
    pack(matrix_products_, x, packed_x);
    MatrixTarget d_weight = target(linear.d_weight, true);
    if (linear.d_bias) d_weight.row_sums = linear.d_bias.data<float>();
    multiply(matrix_products_, view(linear.dy).transposed(), packed_x, x.columns, d_weight,
             [](Range, Range, const MatrixTarget&) {});
  }
}

void CpuBackend::run(const ElementProduct& product) {
  parallel(pool_, product.y.rows(), grain_of(product.y.columns()),
           [&](Range rows, int) { kernels_.element_product(product, rows); });
}

void CpuBackend::run(const ElementProductBackward& product) {
  parallel(pool_, product.dy.rows(), grain_of(product.dy.columns()),
           [&](Range rows, int) { kernels_.element_product_backward(product, rows); });
}

void CpuBackend::run(const FakeQuantize& quantize) {
  const std::int64_t columns = quantize.x.columns();
  cpu::parallel(pool_, quantize.x.rows(), cpu::grain_of(columns), [&](cpu::Range rows, int thread) {
    float* memory = scratch_[static_cast<std::size_t>(thread)].reserve(2 * columns);
    const RowMemory row{memory, reinterpret_cast<std::int8_t*>(memory + columns)};
    if (quantize.x.dtype() == DType::bf16) {
      fake_quantize<BFloat16>(quantize, rows, row);
    } else {
      fake_quantize<float>(quantize, rows, row);
    }
  });
}

}  // namespace nmt
