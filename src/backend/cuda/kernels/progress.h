// Where a card tells the host how far it is, and nobody has to ask it.
#pragma once

#include <cuda_runtime.h>

#include <cstdint>

namespace nmt::cuda {

/// When all that the stream was asked for until now is done, the card writes the number into pinned memory.
void write_progress(std::uint32_t* to, std::uint32_t number, cudaStream_t stream);

}  // namespace nmt::cuda
