// Matrix products of any shape and alignment, without tensor cores.
#pragma once

#include <cuda_runtime.h>

#include "backend/cuda/kernels/products/matrix.h"

namespace nmt::cuda {

/// Computes any product: used for products that cublasLt does not offer, or that are too narrow for it. Each
/// element of out is summed by one thread, in order.
void multiply_in_tiles(const MatrixProduct& product, cudaStream_t stream);

}  // namespace nmt::cuda
