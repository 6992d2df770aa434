#include "nn/transformer/positions.h"

#include <algorithm>
#include <cmath>

namespace nmt {
namespace {

constexpr std::int64_t kRowsAtOnce = 4096;

}  // namespace

std::vector<double> sinusoid_table(Positions kind, std::int64_t first, std::int64_t positions,
                                   std::int64_t d) {
  const std::int64_t sines = (d + 1) / 2;
  const bool by_turns = kind == Positions::sinusoidal;
  // i / (d/2 - 1) is 2i / (d - 2).
  const auto period = static_cast<double>(kind == Positions::tensor2tensor ? d - 2 : d);
  std::vector<double> table(static_cast<std::size_t>(positions * d));
  for (std::int64_t row = 0; row < positions; ++row) {
    double* const values = table.data() + row * d;
    for (std::int64_t i = 0; i < sines; ++i) {
      const double rate = std::exp(static_cast<double>(2 * i) * (-std::log(10000.0) / period));
      const double angle = static_cast<double>(first + row) * rate;
      const std::int64_t cosine = by_turns ? 2 * i + 1 : sines + i;
      values[by_turns ? 2 * i : i] = std::sin(angle);
      if (cosine < d) values[cosine] = std::cos(angle);
    }
  }
  return table;
}

Parameter Sinusoids::at_least(const Graph& g, std::int64_t positions) const {
  const std::lock_guard lock(guard_);
  if (tables_.empty() || tables_.back().rows() < positions) {
    Backend& backend = g.backend();
    const std::int64_t rows = std::max<std::int64_t>(2 * positions, 512);
    const DType type = if_rotary() != nullptr ? backend.precision().sum : backend.precision().compute;
    const Tensor table = allocate_tensor(backend, rows, d_, type);
    // In parts, because reals of a long text take more memory than the table.
    for (std::int64_t row = 0; row < rows; row += kRowsAtOnce) {
      const std::int64_t count = std::min(kRowsAtOnce, rows - row);
      upload_reals(backend, table.slice_rows(row, count), sinusoid_table(kind_, first_ + row, count, d_));
    }
    backend.finish();  // before another worker reads the table
    tables_.push_back(table);
  }
  return {.name = {}, .value = tables_.back(), .gradient = {}};
}

}  // namespace nmt
