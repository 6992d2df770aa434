// Formulas that several operations share: products, softmax, sigmoid.
#pragma once

#include <cmath>
#include <cstdint>
#include <vector>

#include "tensor/tensor.h"

namespace nmt {

/// Returns z[o] = sum_i x[i] weight[o][i] for an f64 weight [out, in]; for an i8 weight, uses the arithmetic
/// of Linear, with weight_scale f32 [1, out].
std::vector<double> multiply_row(const double* x, const Tensor& weight, const Tensor& weight_scale);

inline double sigmoid(double x) {
  return 1 / (1 + std::exp(-x));
}

/// Returns log sum_i exp(x[i]); minus infinity if count is 0.
double log_sum_exp(const double* x, std::int64_t count);

}  // namespace nmt
