// The only header by which kernels use CUDA. Under nvcc it is the toolkit; under a plain C++ compiler the
// same kernels are compiled for the emulator (tests/cuda_emulator), which runs and checks them on the host.
#pragma once

#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>

#include <cstdint>

#include "backend/cuda/runtime/status.h"

#ifdef NMT_CUDA_EMULATED
#include "cuda_emulator/simt.h"
#endif

namespace nmt::cuda {

/// Launches kernels on a CUDA stream at once. Operations of the backend use a Stream instead (launch.h).
struct DirectLaunch {
  dim3 grid, block;
  std::size_t shared_bytes = 0;
  cudaStream_t stream = nullptr;
};

#ifdef NMT_CUDA_EMULATED

template <class... P, class... A>
void launch(const DirectLaunch& l, void (*kernel)(P...), A&&... arguments) {
  simt::submit(
      l.stream, {l.grid, l.block, l.shared_bytes},
      [kernel, pack = std::tuple<P...>(std::forward<A>(arguments)...)] {
        auto own = pack;  // on the stack of the fiber, because parameters are local to a thread
        const auto function = kernel;
        simt::begin_kernel();
        std::apply(function, std::move(own));
      },
      reinterpret_cast<const void*>(kernel));
  check(cudaGetLastError());
}

template <class T>
T* shared_memory() {
  return static_cast<T*>(simt::shared_memory());
}

#else

/// Launches kernel<<<grid, block, shared_bytes, stream>>>(arguments...).
template <class... P, class... A>
void launch(const DirectLaunch& l, void (*kernel)(P...), A&&... arguments) {
  cudaLaunchConfig_t config{};
  config.gridDim = l.grid;
  config.blockDim = l.block;
  config.dynamicSmemBytes = l.shared_bytes;
  config.stream = l.stream;
  check(cudaLaunchKernelEx(&config, kernel, std::forward<A>(arguments)...));
}

/// Returns the shared memory of the block.
template <class T>
__device__ T* shared_memory() {
  extern __shared__ __align__(128) unsigned char nmt_shared_memory[];
  return reinterpret_cast<T*>(nmt_shared_memory);
}

#endif

}  // namespace nmt::cuda
