#include "backend/device.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>

namespace nmt::testing {
namespace {

constexpr double kUnwritten = std::numeric_limits<double>::quiet_NaN();

template <class T>
void upload_whole(Backend& backend, const Tensor& to, const std::vector<double>& values) {
  std::vector<T> elements(values.size());
  std::transform(values.begin(), values.end(), elements.begin(),
                 [](double value) { return static_cast<T>(value); });
  backend.upload(to, elements.data());
}

template <class T>
std::vector<double> download_whole(Backend& backend, const Tensor& from) {
  std::vector<T> elements(static_cast<std::size_t>(from.size()));
  backend.download(elements.data(), from);
  return {elements.begin(), elements.end()};
}

}  // namespace

Device::Device(std::unique_ptr<Backend> owned, std::int64_t columns_of_padding)
    : backend_(std::move(owned)), arena_(*backend_), padding_(columns_of_padding) {}

Tensor Device::upload(std::int64_t rows, std::int64_t columns, DType dtype,
                      const std::vector<double>& values) {
  if (static_cast<std::int64_t>(values.size()) != rows * columns)
    throw std::invalid_argument("the number of values is not rows * columns");
  Tensor x = arena_.allocate(rows, columns, dtype);
  if (is_real(dtype)) {
    upload_reals(*backend_, x, values);
  } else if (dtype == DType::i32) {
    upload_whole<std::int32_t>(*backend_, x, values);
  } else if (dtype == DType::i8) {
    upload_whole<std::int8_t>(*backend_, x, values);
  } else {
    upload_whole<std::uint8_t>(*backend_, x, values);
  }
  backend_->weights_changed();
  return x;
}

Tensor Device::matrix(std::int64_t rows, std::int64_t columns, DType dtype,
                      const std::vector<double>& values) {
  if (padding_ == 0) return upload(rows, columns, dtype, values);
  const std::int64_t wide = columns + 2 * padding_;
  std::vector<double> spread(static_cast<std::size_t>(rows * wide), kUnwritten);
  for (std::int64_t r = 0; r < rows; ++r)
    std::copy_n(values.begin() + r * columns, columns, spread.begin() + r * wide + padding_);
  padded_.push_back({upload(rows, wide, dtype, spread), columns});
  return padded_.back().whole.slice_columns(padding_, columns);
}

Tensor Device::matrix(std::int64_t rows, std::int64_t columns, const std::vector<double>& values) {
  return matrix(rows, columns, backend_->precision().compute, values);
}

Tensor Device::master(std::int64_t rows, std::int64_t columns, const std::vector<double>& values) {
  return matrix(rows, columns, backend_->precision().master, values);
}

Tensor Device::result(std::int64_t rows, std::int64_t columns) {
  return matrix(rows, columns, std::vector<double>(static_cast<std::size_t>(rows * columns), kUnwritten));
}

Tensor Device::sums(std::int64_t rows, std::int64_t columns) {
  return matrix(rows, columns, backend_->precision().sum,
                std::vector<double>(static_cast<std::size_t>(rows * columns), kUnwritten));
}

Tensor Device::vector(const std::vector<double>& values) {
  return upload(1, static_cast<std::int64_t>(values.size()), backend_->precision().master, values);
}

Tensor Device::doubles(const std::vector<double>& values) {
  return upload(1, static_cast<std::int64_t>(values.size()), DType::f64, values);
}

Tensor Device::statistics(const StepStatistics& statistics) {
  const auto* values = reinterpret_cast<const double*>(&statistics);
  return doubles({values, values + kStepStatistics});
}

Tensor Device::quantized(std::int64_t rows, std::int64_t columns, const std::vector<std::int32_t>& values) {
  return upload(rows, columns, DType::i8, {values.begin(), values.end()});
}

Tensor Device::scales(const std::vector<double>& values) {
  return upload(1, static_cast<std::int64_t>(values.size()), DType::f32, values);
}

Tensor Device::integers(std::int64_t rows, std::int64_t columns, const std::vector<std::int32_t>& values) {
  return upload(rows, columns, DType::i32, {values.begin(), values.end()});
}

Tensor Device::zero_doubles(std::int64_t rows, std::int64_t columns) {
  return doubles(std::vector<double>(static_cast<std::size_t>(rows * columns))).reshape(rows, columns);
}

Tensor Device::zero_integers(std::int64_t rows, std::int64_t columns) {
  return integers(rows, columns, std::vector<std::int32_t>(static_cast<std::size_t>(rows * columns)));
}

Tensor Device::mask(std::int64_t rows, std::int64_t bytes) {
  return upload(rows, bytes, DType::u8, std::vector<double>(static_cast<std::size_t>(rows * bytes), 0x5A));
}

std::vector<double> Device::read(const Tensor& x) {
  const Tensor dense = arena_.allocate(x.rows(), x.columns(), x.dtype());
  backend_->copy(dense, x);
  if (is_real(x.dtype())) return download_reals(*backend_, dense);
  if (x.dtype() == DType::i32) return download_whole<std::int32_t>(*backend_, dense);
  return x.dtype() == DType::i8 ? download_whole<std::int8_t>(*backend_, dense)
                                : download_whole<std::uint8_t>(*backend_, dense);
}

bool Device::padding_intact() {
  for (const Padded& padded : padded_) {
    const std::int64_t wide = padded.whole.columns();
    const std::vector<double> values = read(padded.whole);
    for (std::int64_t i = 0; i < padded.whole.size(); ++i) {
      const std::int64_t column = i % wide - padding_;
      const bool inside = column >= 0 && column < padded.columns;
      if (!inside && !std::isnan(values[static_cast<std::size_t>(i)])) return false;
    }
  }
  return true;
}

}  // namespace nmt::testing
