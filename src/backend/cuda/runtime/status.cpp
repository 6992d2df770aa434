#include "backend/cuda/runtime/status.h"

#include <new>

#include "common/error.h"

namespace nmt::cuda {

void fail(std::string_view why) {
  int gpu = 0;
  static_cast<void>(cudaGetDevice(&gpu));
  throw Error("cuda:{} failed: {}", gpu, why);
}

void check(cudaError_t status) {
  if (status == cudaSuccess) return;
  static_cast<void>(cudaGetLastError());  // clears the error, so that the next call does not report it again
  if (status == cudaErrorMemoryAllocation) throw std::bad_alloc();
  fail(fmt::format("{} ({})", cudaGetErrorString(status), cudaGetErrorName(status)));
}

}  // namespace nmt::cuda
