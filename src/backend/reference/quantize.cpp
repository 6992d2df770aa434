#include "tensor/quantize.h"

#include <vector>

#include "backend/reference/reference.h"

namespace nmt {

void ReferenceBackend::run(const FakeQuantize& quantize) {
  const std::int64_t columns = quantize.x.columns();
  std::vector<std::int8_t> q(static_cast<std::size_t>(columns));
  for (std::int64_t r = 0; r < quantize.x.rows(); ++r) {
    const double* x = quantize.x.row<double>(r);
    const std::vector<float> narrowed(x, x + columns);
    const float scale = quantize_row(narrowed.data(), columns, q.data());
    for (std::int64_t i = 0; i < columns; ++i)
      quantize.y.row<double>(r)[i] = scale * static_cast<float>(q[static_cast<std::size_t>(i)]);
  }
}

}  // namespace nmt
