// Matrix products of any shape and alignment, without tensor cores.
#pragma once

#include <cuda_runtime.h>

#include "backend/cuda/kernels/products/matrix.h"

namespace nmt::cuda {

/// Any product: for what cublasLt does not offer, and what is too narrow for it. An element of out is summed
/// up by one thread, in order.
void multiply_in_tiles(const MatrixProduct& product, cudaStream_t stream);

}  // namespace nmt::cuda
