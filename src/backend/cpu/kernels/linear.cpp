// The operations around the matrix products of a linear layer, and products of elements.
#include "backend/cpu/kernels/activation.h"
#include "backend/cpu/kernels/dropout.h"
#include "backend/cpu/kernels/vector_kernels.h"

namespace nmt::cpu::NMT_ISA {
namespace {

/// Computes y := f(y).
template <class Function>
void activate(std::int64_t n, float* __restrict y) {
  for (std::int64_t i = 0; i < n; ++i) y[i] = Function::value(y[i]);
}

template <class Function>
void differentiate(std::int64_t n, const Real* __restrict at, Real* __restrict dy) {
  for (std::int64_t i = 0; i < n; ++i) dy[i] = Function::gradient(at[i], dy[i]);
}

/// Replaces dy by the gradient before dropout and activation.
void differentiate_row(const LinearBackward& linear, std::int64_t row) {
  const std::int64_t n = linear.dy.columns();
  Real* dy = linear.dy.row<Real>(row);
  if (linear.dropout.active()) apply(dropout_row(linear.dropout, row), 0, n, dy, dy);
  const Tensor& at = needs_pre_activation(linear.activation) ? linear.pre_activation : linear.y;
  with_function(linear.activation,
                [&]<class Function>(Function) { differentiate<Function>(n, at.row<Real>(row), dy); });
}

void multiply_elements(std::int64_t n, const Real* __restrict x, const Real* __restrict z,
                       Real* __restrict y) {
  for (std::int64_t i = 0; i < n; ++i) y[i] = x[i] * z[i];
}

/// Copies the elements of a tile's row.
void keep(const Tensor& to, std::int64_t row, std::int64_t column, const float* __restrict from,
          std::int64_t n) {
  convert_elements(from, to.row<Real>(row) + column, n);
}

}  // namespace

void VectorKernels::linear_epilogue(const Linear& linear, Range rows, Range columns,
                                    const MatrixTarget& product) const {
  const std::int64_t n = columns.end - columns.begin;
  for (std::int64_t r = rows.begin; r < rows.end; ++r) {
    float* __restrict y = product.data + (r - rows.begin) * product.row_stride;
    if (linear.bias) {
      const float* __restrict bias = linear.bias.row<float>(0) + columns.begin;
      for (std::int64_t i = 0; i < n; ++i) y[i] += bias[i];
    }
    if (linear.pre_activation) keep(linear.pre_activation, r, columns.begin, y, n);
    with_function(linear.activation, [&]<class Function>(Function) { activate<Function>(n, y); });
    if (linear.dropout.active()) {
      const DropoutRow dropout = dropout_row(linear.dropout, r);
      draw(dropout, columns.begin, columns.end);
      apply(dropout, columns.begin, columns.end, y, y);
    }
    if (linear.y.dtype() != DType::f32) keep(linear.y, r, columns.begin, y, n);
  }
}

void VectorKernels::linear_dx(const LinearBackward& linear, Range rows, Range columns,
                              const MatrixTarget& product) const {
  if (linear.dx.dtype() == DType::f32) return;
  const std::int64_t n = columns.end - columns.begin;
  for (std::int64_t r = rows.begin; r < rows.end; ++r) {
    const float* __restrict from = product.data + (r - rows.begin) * product.row_stride;
    if (!linear.accumulate_dx) {
      keep(linear.dx, r, columns.begin, from, n);
      continue;
    }
    Real* __restrict dx = linear.dx.row<Real>(r) + columns.begin;
    for (std::int64_t i = 0; i < n; ++i) dx[i] = dx[i] + from[i];
  }
}

void VectorKernels::linear_gradient(const LinearBackward& linear, Range rows) const {
  for (std::int64_t r = rows.begin; r < rows.end; ++r) differentiate_row(linear, r);
}

void VectorKernels::element_product(const ElementProduct& product, Range rows) const {
  for (std::int64_t r = rows.begin; r < rows.end; ++r)
    multiply_elements(product.y.columns(), product.x.row<Real>(r), product.z.row<Real>(r),
                      product.y.row<Real>(r));
}

void VectorKernels::element_product_backward(const ElementProductBackward& product, Range rows) const {
  const std::int64_t d = product.dy.columns();
  for (std::int64_t r = rows.begin; r < rows.end; ++r) {
    const Real* dy = product.dy.row<Real>(r);
    multiply_elements(d, product.z.row<Real>(r), dy, product.dx.row<Real>(r));
    multiply_elements(d, product.x.row<Real>(r), dy, product.dz.row<Real>(r));
  }
}

}  // namespace nmt::cpu::NMT_ISA
