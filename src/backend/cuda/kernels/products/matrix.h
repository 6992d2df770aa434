// The operands of matrix products.
#pragma once

#include <cuda_runtime.h>

#include "tensor/tensor.h"

namespace nmt::cuda {

/// A matrix in device memory, stored row-major, and whether it represents its transpose. Does not keep the
/// memory alive.
struct Matrix {
  Matrix() = default;
  Matrix(const Tensor& x)
      : data(x.raw()), dtype(x.dtype()), rows(x.rows()), columns(x.columns()), stride(x.row_stride()) {}

  Matrix transpose() const {
    Matrix other = *this;
    other.transposed = !transposed;
    return other;
  }
  /// Returns the stored columns [begin, begin + count).
  Matrix slice_columns(std::int64_t begin, std::int64_t count) const {
    Matrix slice = *this;
    slice.data = static_cast<char*>(data) + begin * static_cast<std::int64_t>(size_of(dtype));
    slice.columns = count;
    return slice;
  }
  /// Returns the stored rows [begin, begin + count).
  Matrix slice_rows(std::int64_t begin, std::int64_t count) const {
    Matrix slice = *this;
    slice.data = static_cast<char*>(data) + begin * stride * static_cast<std::int64_t>(size_of(dtype));
    slice.rows = count;
    return slice;
  }

  void* data = nullptr;
  DType dtype = DType::f32;
  std::int64_t rows = 0, columns = 0;  // as stored
  std::int64_t stride = 0;             // elements from row to row
  bool transposed = false;
};

/// Computes out = a b, or += with `accumulate`; with a bias, out = a b + bias in each row; with `relu`,
/// max(0, that). a and b have one type, f32, bf16 or f16; out, which is never transposed, has the same type
/// or f32. Sums are in f32 and rounded once. Or a and b are of i8, with b transposed, and out of i32: then
/// sums are exact, and nothing is added to them.
struct MatrixProduct {
  Matrix out, a, b;
  const void* bias = nullptr;  // out.columns elements, 16-byte aligned, of the type of out; not with
                               // accumulate
  bool relu = false;           // not with accumulate
  bool accumulate = false;
  std::int64_t most_rows = 0;  // maximum rows of such products; 0: any number. See Algorithms
  bool inference = false;      // fewer rows than in training

  /// Returns the number of products in an element of out.
  std::int64_t inner() const { return a.transposed ? a.rows : a.columns; }
};

/// Computes any product: used for products that cublasLt does not offer, or that are too narrow for it. Each
/// element of out is summed by one thread, in order.
void multiply_in_tiles(const MatrixProduct& product, cudaStream_t stream);

}  // namespace nmt::cuda
