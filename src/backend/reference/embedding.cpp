#include <iterator>
#include <vector>

#include "backend/reference/dropout.h"
#include "backend/reference/reference.h"

namespace nmt {
namespace {

/// Returns scale * table[id]; the zero vector for -1.
std::vector<double> scaled_word(const Embedding& embedding, std::int32_t id) {
  std::vector<double> word(static_cast<std::size_t>(embedding.table.columns()));
  if (id < 0) return word;
  const bool quantized = embedding.table.dtype() == DType::i8;
  const double scale = embedding.scale * (quantized ? embedding.table_scale.row<float>(0)[id] : 1);
  for (std::int64_t f = 0; f < std::ssize(word); ++f)
    word[static_cast<std::size_t>(f)] =
        scale * (quantized ? embedding.table.row<std::int8_t>(id)[f] : embedding.table.row<double>(id)[f]);
  return word;
}

}  // namespace

void ReferenceBackend::run(const Embedding& embedding) {
  const std::int64_t d = embedding.y.columns();
  for (std::int64_t r = 0; r < embedding.y.rows(); ++r) {
    const std::vector<double> word = scaled_word(embedding, embedding.ids.data<std::int32_t>()[r]);
    const double* position =
        embedding.position_table
            ? embedding.position_table.row<double>(embedding.positions.data<std::int32_t>()[r])
            : nullptr;
    const DropoutRow dropout(embedding.dropout, r);
    dropout.draw(mask_bytes(d), d);
    double* y = embedding.y.row<double>(r);
    for (std::int64_t f = 0; f < d; ++f)
      y[f] =
          dropout.factor(f) * (word[static_cast<std::size_t>(f)] + (position == nullptr ? 0 : position[f]));
  }
}

void ReferenceBackend::run(const EmbeddingBackward& embedding) {
  run(DropoutBackward{.dropout = embedding.dropout, .dy = embedding.dy, .dx = embedding.dy});
  const std::int64_t d = embedding.dy.columns();
  for (std::int64_t r = 0; r < embedding.dy.rows(); ++r) {
    const std::int32_t id = embedding.ids.data<std::int32_t>()[r];
    const double* dy = embedding.dy.row<double>(r);
    if (id >= 0)
      for (std::int64_t f = 0; f < d; ++f) embedding.d_table.row<double>(id)[f] += embedding.scale * dy[f];
    if (embedding.d_position_table) {
      double* d_position =
          embedding.d_position_table.row<double>(embedding.positions.data<std::int32_t>()[r]);
      for (std::int64_t f = 0; f < d; ++f) d_position[f] += dy[f];
    }
  }
}

}  // namespace nmt
