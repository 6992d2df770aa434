// What surrounds the matrix products of a linear layer.
#include "backend/cpu/kernels/dropout.h"
#include "backend/cpu/kernels/vector.h"
#include "backend/cpu/kernels/vector_kernels.h"

namespace nmt::cpu::NMT_ISA {
namespace {

constexpr float kSqrtHalf = 0.707106781F;
constexpr float kDensityAtZero = 0.398942280F;  // 1 / sqrt(2 pi)

void activate(Activation activation, std::int64_t n, float* __restrict y) {
  if (activation == Activation::relu)
    for (std::int64_t i = 0; i < n; ++i) y[i] = y[i] > 0 ? y[i] : 0.0F;
  if (activation == Activation::gelu)
    for (std::int64_t i = 0; i < n; ++i) {
      const float gaussian = exponential(-0.5F * y[i] * y[i]);
      y[i] = 0.5F * y[i] * (1.0F + error_function(kSqrtHalf * y[i], gaussian));
    }
}

// d/dz z Phi(z) = Phi(z) + z phi(z), with the distribution and the density of the normal distribution.
void multiply_by_gelu_slope(std::int64_t n, const float* __restrict z, float* __restrict dy) {
  for (std::int64_t i = 0; i < n; ++i) {
    const float gaussian = exponential(-0.5F * z[i] * z[i]);
    dy[i] *= 0.5F * (1.0F + error_function(kSqrtHalf * z[i], gaussian)) + kDensityAtZero * z[i] * gaussian;
  }
}

// dy = the gradient before dropout and activation.
void differentiate_row(const LinearBackward& linear, std::int64_t row) {
  const std::int64_t n = linear.dy.columns();
  float* __restrict dy = linear.dy.row<float>(row);
  if (linear.dropout.active()) apply(dropout_row(linear.dropout, row), 0, n, dy, dy);
  if (linear.activation == Activation::relu) {
    const float* __restrict y = linear.y.row<float>(row);
    for (std::int64_t i = 0; i < n; ++i) dy[i] = y[i] > 0 ? dy[i] : 0.0F;
  }
  if (linear.activation == Activation::gelu)
    multiply_by_gelu_slope(n, linear.pre_activation.row<float>(row), dy);
}

}  // namespace

void VectorKernels::linear_epilogue(const Linear& linear, Range rows, Range columns) const {
  const std::int64_t n = columns.end - columns.begin;
  for (std::int64_t r = rows.begin; r < rows.end; ++r) {
    float* __restrict y = linear.y.row<float>(r) + columns.begin;
    if (linear.bias) {
      const float* __restrict bias = linear.bias.row<float>(0) + columns.begin;
      for (std::int64_t i = 0; i < n; ++i) y[i] += bias[i];
    }
    if (linear.pre_activation)
      std::memcpy(linear.pre_activation.row<float>(r) + columns.begin, y,
                  static_cast<std::size_t>(n) * sizeof(float));
    activate(linear.activation, n, y);
    if (linear.dropout.active()) {
      const DropoutRow dropout = dropout_row(linear.dropout, r);
      draw(dropout, columns.begin, columns.end);
      apply(dropout, columns.begin, columns.end, y, y);
    }
  }
}

void VectorKernels::linear_gradient(const LinearBackward& linear, Range rows) const {
  for (std::int64_t r = rows.begin; r < rows.end; ++r) differentiate_row(linear, r);
}

}  // namespace nmt::cpu::NMT_ISA
