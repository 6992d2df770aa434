// Conversion of elements to another type, sums of them, and progress reports of a GPU, which the host can
// read without a call.
#pragma once

#include <cuda_runtime.h>

#include <cstdint>

#include "backend/cuda/runtime/stream.h"
#include "tensor/tensor.h"

namespace nmt::cuda {

/// Computes to := from, each element rounded to nearest: from f32 to any compute type, or from bf16 to f32.
void convert(const Tensor& to, const Tensor& from, Stream& stream);

/// Computes to += from, for equal types with each sum rounded to nearest, or from any compute type to f32.
void add(const Tensor& to, const Tensor& from, Stream& stream);

/// Makes the GPU write `number` into pinned memory when all work requested from the stream so far is done.
void write_progress(std::uint32_t* to, std::uint32_t number, cudaStream_t stream);

}  // namespace nmt::cuda
