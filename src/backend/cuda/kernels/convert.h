// Elements in another type, and sums of them.
#pragma once

#include "backend/cuda/runtime/stream.h"
#include "tensor/tensor.h"

namespace nmt::cuda {

/// to := from, each element rounded to the nearest. From f32 to any type that is computed in, or from bf16 to
/// f32.
void convert(const Tensor& to, const Tensor& from, Stream& stream);

/// to += from, of one type, each sum rounded to the nearest; or of any type that is computed in, to f32.
void add(const Tensor& to, const Tensor& from, Stream& stream);

}  // namespace nmt::cuda
