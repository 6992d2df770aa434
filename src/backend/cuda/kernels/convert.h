// Conversion of elements to another type, and sums of them.
#pragma once

#include "backend/cuda/runtime/stream.h"
#include "tensor/tensor.h"

namespace nmt::cuda {

/// Computes to := from, each element rounded to nearest: from f32 to any compute type, or from bf16 to f32.
void convert(const Tensor& to, const Tensor& from, Stream& stream);

/// Computes to += from, for equal types with each sum rounded to nearest, or from any compute type to f32.
void add(const Tensor& to, const Tensor& from, Stream& stream);

}  // namespace nmt::cuda
