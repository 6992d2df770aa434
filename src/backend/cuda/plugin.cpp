#include "backend/cuda/plugin.h"

#include <atomic>
#include <memory>
#include <string>
#include <string_view>
#include <type_traits>

#include "backend/cuda/cuda_backend.h"
#include "backend/cuda/runtime/gpu.h"
#include "build_id.h"
#include "common/text/number.h"

namespace nmt {
namespace {

CudaArithmetic precision_of(std::string_view name) {
  if (name == "auto") name = "bf16";
  if (name == "f32") return {DType::f32};
  if (name == "tf32") return {.compute = DType::f32, .tf32 = true};
  if (name == "int8") return {.compute = DType::f32, .weights = DType::i8};
  if (name == "f16") return {DType::f16};
  if (name != "bf16")
    throw UsageError("unknown precision '{}': use auto, f32, tf32, bf16, f16 or int8", name);
  return {DType::bf16};
}

/// Returns the precision of this name, and the arithmetic settings of the environment.
CudaArithmetic arithmetic(std::string_view precision) {
  CudaArithmetic arithmetic = precision_of(precision);
  arithmetic.cudnn_attention = number_from_environment("NMT_CUDNN_ATTENTION", "positions", 0);
  return arithmetic;
}

/// Passes on only the first warning of all streams of a GPU.
Warn first_line(const Warn& warn, const std::string& gpu) {
  return [warn, gpu, told = std::make_shared<std::atomic_flag>()](const std::string& line) {
    if (!told->test_and_set()) warn(gpu + ": " + line);
  };
}

/// Returns the timeout of all GPUs, or the value set in the environment.
cuda::Timeout timeout() {
  cuda::Timeout timeout;
  timeout.beats = number_from_environment("NMT_GPU_TIMEOUT", "seconds", timeout.beats);
  return timeout;
}

}  // namespace
}  // namespace nmt

extern "C" {

[[gnu::visibility("default")]] extern const char nmt_cuda_build[];
const char nmt_cuda_build[] = NMT_BUILD_ID;

[[gnu::visibility("default")]] void nmt_name_cuda_gpus(std::vector<std::string>& names) {
  names = nmt::cuda::names_of_gpus();
}

[[gnu::visibility("default")]] nmt::Backend* nmt_open_cuda_backend(int device, const char* precision,
                                                                   int streams, const nmt::Warn& warn,
                                                                   const nmt::AbortProcess& abort_process) {
  const nmt::cuda::Gpu gpu = nmt::cuda::find_gpu(device);
  const std::string name = fmt::format("cuda:{}", gpu.number);
  const auto watchdog = std::make_shared<nmt::cuda::GpuWatchdog>(name, nmt::timeout(), abort_process);
  return new nmt::CudaBackend(gpu, nmt::arithmetic(precision), streams, nmt::first_line(warn, name),
                              watchdog);
}
}

static_assert(std::is_same_v<decltype(&nmt_open_cuda_backend), nmt::OpenCudaBackend>);
static_assert(std::is_same_v<decltype(&nmt_name_cuda_gpus), nmt::NameCudaGpus>);
