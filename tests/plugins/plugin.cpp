// A plugin without a backend: the name of the requested device selects the exception that it throws.
#include "backend/cuda/plugin.h"

#include <new>
#include <stdexcept>
#include <string_view>
#include <type_traits>

extern "C" {

[[gnu::visibility("default")]] extern const char nmt_cuda_build[];
const char nmt_cuda_build[] = NMT_BUILD_ID;

[[gnu::visibility("default")]] nmt::Backend* nmt_open_cuda_backend(
    int device, const char* precision, int /*streams*/, const nmt::Warn& /*warn*/,
    const nmt::AbortProcess& /*abort_process*/) {
  const std::string_view wanted = precision;
  if (wanted == "auto") throw nmt::NoGpu("no GPU {}", device);
  if (wanted == "f32") throw nmt::UsageError("GPU {} is too old", device);
  if (wanted == "bf16") throw nmt::Error("GPU {} failed", device);
  if (wanted == "f16") throw std::bad_alloc();
  throw std::logic_error("a mistake");
}
}

static_assert(std::is_same_v<decltype(&nmt_open_cuda_backend), nmt::OpenCudaBackend>);
