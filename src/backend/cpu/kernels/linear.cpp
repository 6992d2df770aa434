// What surrounds the matrix products of a linear layer.
#include "backend/cpu/kernels/dropout.h"
#include "backend/cpu/kernels/operations.h"
#include "backend/cpu/kernels/vector.h"

namespace nmt::cpu::NMT_ISA {
namespace {

// Columns and rows whose partial sums are kept in registers.
constexpr std::int64_t bias_columns = 64;
constexpr std::int64_t bias_rows = 64;

constexpr std::int64_t least(std::int64_t a, std::int64_t b) {
  return a < b ? a : b;
}

constexpr float sqrt_half = 0.707106781F;
constexpr float density_at_zero = 0.398942280F;  // 1 / sqrt(2 pi)

void activate(Activation activation, std::int64_t n, float* __restrict y) {
  if (activation == Activation::relu)
    for (std::int64_t i = 0; i < n; ++i) y[i] = y[i] > 0 ? y[i] : 0.0F;
  if (activation == Activation::gelu)
    for (std::int64_t i = 0; i < n; ++i) {
      const float gaussian = exponential(-0.5F * y[i] * y[i]);
      y[i] = 0.5F * y[i] * (1.0F + error_function(sqrt_half * y[i], gaussian));
    }
}

// d/dz z Phi(z) = Phi(z) + z phi(z), with the distribution and the density of the normal distribution.
void multiply_by_gelu_slope(std::int64_t n, const float* __restrict z, float* __restrict dy) {
  for (std::int64_t i = 0; i < n; ++i) {
    const float gaussian = exponential(-0.5F * z[i] * z[i]);
    dy[i] *= 0.5F * (1.0F + error_function(sqrt_half * z[i], gaussian)) + density_at_zero * z[i] * gaussian;
  }
}

// dy = the gradient before dropout and activation, for some columns of a row.
void differentiate_row(const LinearBackward& linear, std::int64_t row, Range columns) {
  const std::int64_t n = columns.end - columns.begin;
  float* __restrict dy = linear.dy.row<float>(row) + columns.begin;
  if (linear.dropout.active()) apply(dropout_row(linear.dropout, row), columns.begin, columns.end, dy, dy);
  if (linear.activation == Activation::relu) {
    const float* __restrict y = linear.y.row<float>(row) + columns.begin;
    for (std::int64_t i = 0; i < n; ++i) dy[i] = y[i] > 0 ? dy[i] : 0.0F;
  }
  if (linear.activation == Activation::gelu)
    multiply_by_gelu_slope(n, linear.pre_activation.row<float>(row) + columns.begin, dy);
}

// d_bias += the sums of dy over these rows for at most bias_columns columns.
void add_bias_gradient(const LinearBackward& linear, Range rows, Range columns) {
  const std::int64_t n = columns.end - columns.begin;
  float sum[bias_columns] = {};
  for (std::int64_t r = rows.begin; r < rows.end; ++r) {
    const float* dy = linear.dy.row<float>(r) + columns.begin;
    if (n == bias_columns)
      for (std::int64_t i = 0; i < bias_columns; ++i) sum[i] += dy[i];
    else
      for (std::int64_t i = 0; i < n; ++i) sum[i] += dy[i];
  }
  float* d_bias = linear.d_bias.row<float>(0) + columns.begin;
  for (std::int64_t i = 0; i < n; ++i) d_bias[i] += sum[i];
}

}  // namespace

void linear_epilogue(const Linear& linear, Range rows, Range columns) {
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

// Some rows at a time, so that they are still in the cache when their sums are taken.
void linear_gradient(const LinearBackward& linear, Range columns) {
  const bool differentiate = linear.dropout.active() || linear.activation != Activation::none;
  for (std::int64_t begin = 0; begin < linear.dy.rows(); begin += bias_rows) {
    const Range rows{begin, least(begin + bias_rows, linear.dy.rows())};
    for (std::int64_t r = rows.begin; differentiate && r < rows.end; ++r)
      differentiate_row(linear, r, columns);
    for (std::int64_t c = columns.begin; linear.d_bias && c < columns.end; c += bias_columns)
      add_bias_gradient(linear, rows, {c, least(c + bias_columns, columns.end)});
  }
}

}  // namespace nmt::cpu::NMT_ISA
