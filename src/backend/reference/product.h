// A row of a matrix product.
#pragma once

#include <vector>

#include "tensor/tensor.h"

namespace nmt {

/// Returns z[o] = sum_i x[i] weight[o][i] for an f64 weight [out, in]; for an i8 weight, uses the arithmetic
/// of Linear, with weight_scale f32 [1, out].
std::vector<double> multiply_row(const double* x, const Tensor& weight, const Tensor& weight_scale);

}  // namespace nmt
