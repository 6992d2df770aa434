// Copies from global to shared memory that a thread asks for, many at a time, before it waits for any: a tile
// then costs the latency of one access, and no registers. In PTX's terms: cp.async.cg and cp.async.wait_all
// (PTX ISA 8.x, 9.7.9.25.3).
#pragma once

#include "backend/cuda/runtime/cuda_api.h"

namespace nmt::cuda {

/// Begins to copy 16 bytes, both addresses multiples of 16; without `exists`, `from` is not read, and zeros
/// are written. Nobody reads them before wait_for_copies(), and other threads not before a barrier behind it.
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

/// Waits for the copies that the thread has begun.
__device__ inline void wait_for_copies() {
#ifdef NMT_CUDA_EMULATED
  simt::wait_for_copies();
#else
  asm volatile("cp.async.wait_all;" : : : "memory");
#endif
}

}  // namespace nmt::cuda
