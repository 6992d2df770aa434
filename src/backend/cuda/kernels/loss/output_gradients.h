// The gradients of an output layer, computed from those of its logits.
#pragma once

#include <algorithm>

#include "backend/cuda/kernels/elements.h"
#include "backend/cuda/kernels/products/matrix.h"
#include "backend/cuda/libraries/matrix_products.h"
#include "tensor/operations/output.h"

namespace nmt::cuda {

/// The targets of the gradients of an output layer: dx is overwritten, the others, which may be empty, are
/// added to.
struct OutputGradients {
  Tensor dx, d_weight, d_bias;
};

/// Returns the product that computes the logits, without bias, of the rows from `begin` on.
inline MatrixProduct logits_product(const OutputLayer& output, std::int64_t begin, const Tensor& logits) {
  return {
      .out = logits, .a = output.x.slice_rows(begin, logits.rows()), .b = Matrix(output.weight).transpose()};
}

/// Returns the gradients of logits, of the compute type, in the first bytes of each of their rows.
template <class T>
Rows<T> gradient_rows(const Tensor& logits) {
  return {static_cast<T*>(logits.raw()),
          logits.row_stride() * static_cast<std::int64_t>(sizeof(float) / sizeof(T))};
}
inline Matrix gradient_in(const Tensor& logits, DType dtype) {
  Matrix gradient = logits;
  gradient.dtype = dtype;
  gradient.stride *= static_cast<std::int64_t>(sizeof(float) / size_of(dtype));
  return gradient;
}

/// Computes the gradients of x and of the weight for the rows from `begin` on, given the gradients of their
/// logits, in steps of `rows_of_step` rows.
inline void propagate(MatrixProducts& products, const OutputLayer& output, const OutputGradients& to,
                      const Matrix& gradient, std::int64_t begin, std::int64_t rows_of_step, Stream& stream) {
  for (std::int64_t first = 0; first < gradient.rows; first += rows_of_step) {
    const Matrix step = gradient.slice_rows(first, std::min(rows_of_step, gradient.rows - first));
    products.multiply({.out = to.dx.slice_rows(begin + first, step.rows),
                       .a = step,
                       .b = output.weight,
                       .most_rows = rows_of_step},
                      stream);
    if (!to.d_weight) continue;
    const Matrix x = output.x.slice_rows(begin + first, step.rows);
    products.multiply({.out = to.d_weight, .a = step.transpose(), .b = x, .accumulate = true}, stream);
  }
}

}  // namespace nmt::cuda
