// A row of a matrix product.
#pragma once

#include <vector>

#include "tensor/tensor.h"

namespace nmt {

/// z[o] = sum_i x[i] weight[o][i], for a weight [out, in] of f64; of i8, in the arithmetic of Linear, with
/// weight_scale f32 [1, out].
std::vector<double> multiply_row(const double* x, const Tensor& weight, const Tensor& weight_scale);

}  // namespace nmt
