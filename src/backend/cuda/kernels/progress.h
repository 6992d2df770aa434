// Progress reports of a GPU, which the host can read without a call.
#pragma once

#include <cuda_runtime.h>

#include <cstdint>

namespace nmt::cuda {

/// Makes the GPU write `number` into pinned memory when all work requested from the stream so far is done.
void write_progress(std::uint32_t* to, std::uint32_t number, cudaStream_t stream);

}  // namespace nmt::cuda
