// Return values of CUDA's functions.
#pragma once

#include <cuda_runtime.h>

#include <string_view>

namespace nmt::cuda {

/// Throws Error that says why the GPU of the calling thread has failed: "cuda:1 failed: ...".
[[noreturn]] void fail(std::string_view why);

/// Throws Error with CUDA's own message unless the status is success; std::bad_alloc if the device is out of
/// memory.
void check(cudaError_t status);

}  // namespace nmt::cuda
