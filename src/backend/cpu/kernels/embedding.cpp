// Embeddings, and rotary positions.
#include "backend/cpu/kernels/dropout.h"
#include "backend/cpu/kernels/vector_kernels.h"

namespace nmt::cpu::NMT_ISA {
namespace {

/// Computes y = scale * word + position.
template <class Element>
void add_word(float scale, const Element* __restrict word, const Real* __restrict position, std::int64_t d,
              Real* __restrict y) {
  for (std::int64_t f = 0; f < d; ++f) y[f] = scale * word[f] + position[f];
}

/// Computes y = scale * word.
template <class Element>
void scale_word(float scale, const Element* __restrict word, std::int64_t d, Real* __restrict y) {
  for (std::int64_t f = 0; f < d; ++f) y[f] = scale * word[f];
}

/// Computes y = scale * word + position; `position` may be null, for zeros.
template <class Element>
void write_word(float scale, const Element* word, const Real* position, std::int64_t d, Real* y) {
  if (position == nullptr)
    scale_word(scale, word, d, y);
  else
    add_word(scale, word, position, d, y);
}

void embed(const Embedding& embedding, std::int64_t row) {
  const std::int64_t d = embedding.y.columns();
  const auto bytes = static_cast<std::size_t>(d) * sizeof(Real);
  const auto scale = static_cast<float>(embedding.scale);
  const std::int32_t id = embedding.ids.data<std::int32_t>()[row];
  const Real* position =
      embedding.position_table
          ? embedding.position_table.row<Real>(embedding.positions.data<std::int32_t>()[row])
          : nullptr;
  Real* y = embedding.y.row<Real>(row);
  if (id < 0 && position == nullptr) {
    __builtin_memset(y, 0, bytes);
  } else if (id < 0) {
    __builtin_memcpy(y, position, bytes);
  } else if (embedding.table.dtype() == DType::i8) {
    const float of_row = embedding.table_scale.data<float>()[id];
    write_word(scale * of_row, embedding.table.row<std::int8_t>(id), position, d, y);
  } else if (embedding.table.dtype() == DType::bf16) {
    write_word(scale, embedding.table.row<BFloat16>(id), position, d, y);
  } else {
    write_word(scale, embedding.table.row<Real>(id), position, d, y);
  }
  if (embedding.dropout.active()) {
    const DropoutRow dropout = dropout_row(embedding.dropout, row);
    draw(dropout, 0, d);
    apply(dropout, 0, d, y, y);
  }
}

/// Rotates n pairs (a[i], b[i]) by the angles with these cosines and with these sines times `sign`.
void rotate_pairs(std::int64_t n, const float* __restrict sine, const float* __restrict cosine, float sign,
                  Real* __restrict a, Real* __restrict b) {
  for (std::int64_t i = 0; i < n; ++i) {
    const float x = a[i], y = b[i], s = sign * sine[i];
    a[i] = x * cosine[i] - y * s;
    b[i] = y * cosine[i] + x * s;
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

void VectorKernels::rotate(const Rotate& rotation, Range rows) const {
  const std::int64_t width = rotation.table.columns(), half = width / 2;
  const float sign = rotation.inverse ? -1 : 1;
  for (std::int64_t r = rows.begin; r < rows.end; ++r) {
    const float* sine = rotation.table.row<float>(rotation.positions.data<std::int32_t>()[r]);
    Real* x = rotation.x.row<Real>(r);
    for (Real* head = x; head < x + rotation.x.columns(); head += width)
      rotate_pairs(half, sine, sine + half, sign, head, head + half);
  }
}

}  // namespace nmt::cpu::NMT_ISA
