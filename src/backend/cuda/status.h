// What CUDA's functions answer.
#pragma once

#include <cuda_runtime.h>

namespace nmt::cuda {

/// Throws Error with CUDA's own words, std::bad_alloc when the device's memory is full.
void check(cudaError_t status);

}  // namespace nmt::cuda
