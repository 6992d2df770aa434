#include "backend/reference/dropout.h"
#include "backend/reference/reference.h"

namespace nmt {

void ReferenceBackend::run(const Embedding& embedding) {
  const std::int64_t d = embedding.y.columns();
  for (std::int64_t r = 0; r < embedding.y.rows(); ++r) {
    const std::int32_t id = embedding.ids.data<std::int32_t>()[r];
    const double* position =
        embedding.position_table.row<double>(embedding.positions.data<std::int32_t>()[r]);
    const DropoutRow dropout(embedding.dropout, r);
    dropout.draw(mask_bytes(d), d);
    double* y = embedding.y.row<double>(r);
    for (std::int64_t f = 0; f < d; ++f) {
      const double word = id < 0 ? 0 : embedding.table.row<double>(id)[f];
      y[f] = dropout.factor(f) * (embedding.scale * word + position[f]);
    }
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
