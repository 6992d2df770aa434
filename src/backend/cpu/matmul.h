// The seam to the library that multiplies matrices.
#pragma once

#include <cstdint>
#include <memory>

#include "backend/cpu/kernels.h"

namespace nmt::cpu {

/// Matrix products c = a b, or c += a b, with b packed, on one thread. An object belongs to one thread at a
/// time; what one has packed serves all objects of its kind.
class MatrixProduct {
 public:
  /// Packed columns lie in panels of this many, each independent of the others: from a multiple of it on they
  /// are a packed matrix of their own, which begins packed_size(k, that multiple) floats further.
  static constexpr std::int64_t panel_columns = 64;

  virtual ~MatrixProduct() = default;

  /// Floats that a packed k x n matrix takes.
  virtual std::int64_t packed_size(std::int64_t k, std::int64_t n) const = 0;
  virtual void pack(const MatrixView& b, float* to) const = 0;
  /// With a packed a.columns x n matrix. An element of c depends on nothing but its row of a and its column
  /// of b: its bits are the same whatever the number of rows and columns.
  virtual void multiply(const MatrixView& a, const float* b, std::int64_t n, const MatrixTarget& c) = 0;

 protected:
  MatrixProduct() = default;
  MatrixProduct(const MatrixProduct&) = default;
  MatrixProduct& operator=(const MatrixProduct&) = default;
};

/// By oneDNN, where its kernels keep the rows of a product independent of each other; else by our own.
std::unique_ptr<MatrixProduct> make_matrix_product(const Kernels& kernels);

}  // namespace nmt::cpu
