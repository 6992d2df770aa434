// A backend with its memory, for tests: tensors made from host values, and host values read back.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "tensor/arena.h"
#include "tensor/backend.h"

namespace nmt::testing {

/// Makes and reads tensors of one backend. With `columns_of_padding`, every matrix is a slice of a larger one
/// with this many more columns on either side, so that rows are a stride apart. The padding is NaN, and
/// padding_intact() checks that it still is.
class Device {
 public:
  explicit Device(std::unique_ptr<Backend> owned, std::int64_t columns_of_padding = 0);

  Backend& backend() { return *backend_; }

  /// Returns a matrix of the compute type; values.size() must be rows * columns.
  Tensor matrix(std::int64_t rows, std::int64_t columns, const std::vector<double>& values);
  /// Returns a matrix of the type of master weights.
  Tensor master(std::int64_t rows, std::int64_t columns, const std::vector<double>& values);
  /// Returns a matrix of NaN, for results that must be overwritten; the second function uses the type of
  /// sums.
  Tensor result(std::int64_t rows, std::int64_t columns);
  Tensor sums(std::int64_t rows, std::int64_t columns);
  /// Returns a vector of the type of master weights, contiguous whatever the padding, for flat buffers.
  Tensor vector(const std::vector<double>& values);
  /// Returns a vector of f64 on every backend.
  Tensor doubles(const std::vector<double>& values);
  Tensor statistics(const StepStatistics& statistics);
  /// Returns a matrix of quantized weights, or scales of rows, [1, n] of f32 on every backend; neither is
  /// padded.
  Tensor quantized(std::int64_t rows, std::int64_t columns, const std::vector<std::int32_t>& values);
  Tensor scales(const std::vector<double>& values);
  /// Return tensors of i32 and u8, which are never padded.
  Tensor integers(std::int64_t rows, std::int64_t columns, const std::vector<std::int32_t>& values);
  /// Return zeros, of f64 on every backend, and of i32.
  Tensor zero_doubles(std::int64_t rows, std::int64_t columns);
  Tensor zero_integers(std::int64_t rows, std::int64_t columns);
  /// Returns a dropout mask of bytes that are neither 0 nor 255.
  Tensor mask(std::int64_t rows, std::int64_t bytes);

  /// Returns the elements of any tensor, row by row.
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
