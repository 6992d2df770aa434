#include "backend/cuda/runtime/status.h"

#include <new>

#include "common/error.h"

namespace nmt::cuda {

void fail(std::string_view why) {
  int card = 0;
  static_cast<void>(cudaGetDevice(&card));
  throw Error("cuda:{} failed: {}", card, why);
}

void check(cudaError_t status) {
  if (status == cudaSuccess) return;
  static_cast<void>(cudaGetLastError());  // it has been told, and is not to be told again of the next call
  if (status == cudaErrorMemoryAllocation) throw std::bad_alloc();
  fail(fmt::format("{} ({})", cudaGetErrorString(status), cudaGetErrorName(status)));
}

}  // namespace nmt::cuda
