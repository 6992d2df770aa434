// Asynchronous copies from global to shared memory: a thread starts many before it waits for them, so that a
// tile costs the latency of one access, and no registers. In terms of PTX: cp.async.cg and cp.async.wait_all
// (PTX ISA 8.x, 9.7.9.25.3).
#pragma once

#include "backend/cuda/runtime/cuda_api.h"

namespace nmt::cuda {

/// Starts to copy 16 bytes, both addresses multiples of 16; without `exists`, `from` is not read, and zeros
/// are written. The bytes must not be read before wait_for_copies(), nor by other threads before a barrier
/// after it.
__device__ inline void copy_async(void* to_shared, const void* from, bool exists) {
#ifdef NMT_CUDA_EMULATED
  simt::copy_async(to_shared, from, exists);
#else
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;"
               :
               : "r"(static_cast<unsigned>(__cvta_generic_to_shared(to_shared))), "l"(from),
                 "r"(exists ? 16 : 0)
               : "memory");
#endif
}

/// Waits for the copies that this thread has started.
__device__ inline void wait_for_copies() {
#ifdef NMT_CUDA_EMULATED
  simt::wait_for_copies();
#else
  asm volatile("cp.async.wait_all;" : : : "memory");
#endif
}

}  // namespace nmt::cuda
