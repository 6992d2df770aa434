// A backend with its memory, for tests: tensors made from host values, and host values read back.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "tensor/arena.h"
#include "tensor/backend.h"

namespace nmt::testing {

/// Makes and reads tensors of one backend. With `padding`, every matrix is a slice of one that has this many
/// more columns on either side, so that rows are a stride apart; the padding is NaN, and padding_intact()
/// tells whether it still is.
class Device {
 public:
  explicit Device(std::unique_ptr<Backend> owned, std::int64_t columns_of_padding = 0);

  Backend& backend() { return *backend_; }

  /// A matrix of the type that the backend computes in; values.size() must be rows * columns.
  Tensor matrix(std::int64_t rows, std::int64_t columns, const std::vector<double>& values);
  /// The same of the type of masters.
  Tensor master(std::int64_t rows, std::int64_t columns, const std::vector<double>& values);
  /// A matrix of NaN, for results that have to be overwritten; the same of the type of sums.
  Tensor result(std::int64_t rows, std::int64_t columns);
  Tensor sums(std::int64_t rows, std::int64_t columns);
  /// Of the type of masters, contiguous whatever the padding: for flat buffers.
  Tensor vector(const std::vector<double>& values);
  /// f64 on every backend.
  Tensor doubles(const std::vector<double>& values);
  Tensor statistics(const StepStatistics& statistics);
  /// A matrix of quantised weights, and scales of rows, [1, n] of f32 on every backend; never padded.
  Tensor quantized(std::int64_t rows, std::int64_t columns, const std::vector<std::int32_t>& values);
  Tensor scales(const std::vector<double>& values);
  /// i32 and u8 are never padded.
  Tensor integers(std::int64_t rows, std::int64_t columns, const std::vector<std::int32_t>& values);
  /// Zeros, of f64 on every backend, and of i32.
  Tensor zero_doubles(std::int64_t rows, std::int64_t columns);
  Tensor zero_integers(std::int64_t rows, std::int64_t columns);
  /// A dropout mask of bytes that are neither 0 nor 255.
  Tensor mask(std::int64_t rows, std::int64_t bytes);

  /// The elements of any tensor, row by row.
  std::vector<double> read(const Tensor& x);

  bool padding_intact();

 private:
  struct Padded {
    Tensor whole;
    std::int64_t columns;
  };
  Tensor matrix(std::int64_t rows, std::int64_t columns, DType dtype, const std::vector<double>& values);
  Tensor upload(std::int64_t rows, std::int64_t columns, DType dtype, const std::vector<double>& values);

  std::unique_ptr<Backend> backend_;
  Arena arena_;
  std::int64_t padding_;
  std::vector<Padded> padded_;
};

}  // namespace nmt::testing
