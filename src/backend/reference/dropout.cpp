#include "backend/reference/dropout.h"

#include <algorithm>
#include <cmath>

#include "backend/reference/reference.h"
#include "common/philox.h"

namespace nmt {

DropoutRow::DropoutRow(const Dropout& dropout, std::int64_t row, std::int64_t head, std::int64_t first_byte)
    : dropout_(dropout),
      row_(row),
      head_(head),
      first_byte_(first_byte),
      threshold_(std::lround(65536 * dropout.probability)) {}

bool DropoutRow::keeps(std::int64_t feature) const {
  const auto* random = dropout_.random.row<std::int32_t>(0);
  const auto* row_key = dropout_.row_keys.row<std::int32_t>(row_);
  const auto words =
      philox4x32({static_cast<std::uint32_t>(row_key[0]), static_cast<std::uint32_t>(row_key[1]),
                  static_cast<std::uint32_t>(feature / 8),
                  static_cast<std::uint32_t>(dropout_.operation * 65536 + head_)},
                 {static_cast<std::uint32_t>(random[0]), static_cast<std::uint32_t>(random[1])});
  const std::int64_t number = feature % 8;
  const std::uint32_t word = words[static_cast<std::size_t>(number / 2)];
  const std::uint32_t drawn = number % 2 == 0 ? word & 0xFFFFU : word >> 16;
  return drawn >= threshold_;
}

void DropoutRow::draw(std::int64_t bytes, std::int64_t features) const {
  if (!dropout_.active()) return;
  auto* bits = dropout_.mask.row<std::uint8_t>(row_) + first_byte_;
  std::fill_n(bits, bytes, std::uint8_t{0});
  for (std::int64_t f = 0; f < features; ++f)
    if (keeps(f)) bits[f / 8] |= static_cast<std::uint8_t>(1U << (f % 8));
}

double DropoutRow::factor(std::int64_t feature) const {
  if (!dropout_.active()) return 1;
  const auto* bits = dropout_.mask.row<std::uint8_t>(row_) + first_byte_;
  const bool kept = ((bits[feature / 8] >> (feature % 8)) & 1) != 0;
  return kept ? 65536.0 / static_cast<double>(65536 - threshold_) : 0;
}

void ReferenceBackend::run(const DropoutBackward& arguments) {
  for (std::int64_t r = 0; r < arguments.dy.rows(); ++r) {
    const DropoutRow dropout(arguments.dropout, r);
    const double* dy = arguments.dy.row<double>(r);
    double* dx = arguments.dx.row<double>(r);
    for (std::int64_t f = 0; f < arguments.dy.columns(); ++f) dx[f] = dropout.factor(f) * dy[f];
  }
}

}  // namespace nmt
