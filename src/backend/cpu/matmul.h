// The seam to the library that multiplies matrices.
#pragma once

#include <cstdint>
#include <memory>

#include "backend/cpu/kernels.h"

namespace nmt::cpu {

/// Matrix products c = a b, or c += a b, on one thread. An object belongs to one thread at a time; b packed
/// by one serves all objects of its kind.
class MatrixProduct {
 public:
  virtual ~MatrixProduct() = default;

  /// Floats that a packed k x n matrix takes.
  virtual std::int64_t packed_size(std::int64_t k, std::int64_t n) = 0;
  /// Writes b in the layout that multiply_packed() likes.
  virtual void pack(const MatrixView& b, float* to) = 0;
  /// With a packed a.columns x n matrix. A row of c depends on nothing but the same row of a, and b: its bits
  /// are the same whatever the number of rows.
  virtual void multiply_packed(const MatrixView& a, const float* b, std::int64_t n,
                               const MatrixTarget& c) = 0;
  /// With b as it is, for products of which no side is used twice; the same bits from run to run.
  virtual void multiply(const MatrixView& a, const MatrixView& b, const MatrixTarget& c) = 0;

 protected:
  MatrixProduct() = default;
  MatrixProduct(const MatrixProduct&) = default;
  MatrixProduct& operator=(const MatrixProduct&) = default;
};

/// By oneDNN, where its kernels keep the rows of a product independent of each other; else by our own.
std::unique_ptr<MatrixProduct> make_matrix_product(const Kernels& kernels);

}  // namespace nmt::cpu
