#include "backend/cpu/kernels/dropout.h"
#include "backend/cpu/kernels/vector_kernels.h"

namespace nmt::cpu::NMT_ISA {

namespace {

/// y = scale * word + position.
template <class Element>
void add_word(float scale, const Element* __restrict word, const Real* __restrict position, std::int64_t d,
              Real* __restrict y) {
  for (std::int64_t f = 0; f < d; ++f) y[f] = scale * word[f] + position[f];
}

void embed(const Embedding& embedding, std::int64_t row) {
  const std::int64_t d = embedding.y.columns();
  const auto scale = static_cast<float>(embedding.scale);
  const std::int32_t id = embedding.ids.data<std::int32_t>()[row];
  const Real* position = embedding.position_table.row<Real>(embedding.positions.data<std::int32_t>()[row]);
  Real* y = embedding.y.row<Real>(row);
  if (id < 0) {
    __builtin_memcpy(y, position, static_cast<std::size_t>(d) * sizeof(Real));
  } else if (embedding.table.dtype() == DType::i8) {
    const float of_row = embedding.table_scale.data<float>()[id];
    add_word(scale * of_row, embedding.table.row<std::int8_t>(id), position, d, y);
  } else {
    add_word(scale, embedding.table.row<Real>(id), position, d, y);
  }
  if (embedding.dropout.active()) {
    const DropoutRow dropout = dropout_row(embedding.dropout, row);
    draw(dropout, 0, d);
    apply(dropout, 0, d, y, y);
  }
}

}  // namespace

void VectorKernels::embedding(const Embedding& embedding, Range rows) const {
  for (std::int64_t r = rows.begin; r < rows.end; ++r) embed(embedding, r);
}

void VectorKernels::embedding_backward(const EmbeddingBackward& embedding, Range columns) const {
  const auto scale = static_cast<float>(embedding.scale);
  const std::int64_t n = columns.end - columns.begin;
  for (std::int64_t r = 0; r < embedding.dy.rows(); ++r) {
    Real* __restrict dy = embedding.dy.row<Real>(r) + columns.begin;
    if (embedding.dropout.active())
      apply(dropout_row(embedding.dropout, r), columns.begin, columns.end, dy, dy);
    const std::int32_t id = embedding.ids.data<std::int32_t>()[r];
    if (id >= 0) {
      float* __restrict word = embedding.d_table.row<float>(id) + columns.begin;
      for (std::int64_t f = 0; f < n; ++f) word[f] += scale * dy[f];
    }
    if (embedding.d_position_table) {
      const std::int32_t place = embedding.positions.data<std::int32_t>()[r];
      float* __restrict position = embedding.d_position_table.row<float>(place) + columns.begin;
      for (std::int64_t f = 0; f < n; ++f) position[f] += dy[f];
    }
  }
}

}  // namespace nmt::cpu::NMT_ISA
