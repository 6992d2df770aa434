// What CUDA's functions answer.
#pragma once

#include <cuda_runtime.h>

#include <string_view>

namespace nmt::cuda {

/// Throws Error that says why the card of the calling thread has failed: "cuda:1 failed: ...".
[[noreturn]] void fail(std::string_view why);

/// Fails with CUDA's own words, std::bad_alloc when the device's memory is full.
void check(cudaError_t status);

}  // namespace nmt::cuda
