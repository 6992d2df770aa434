#include "backend/cuda/runtime/gpu.h"

#include <cuda_runtime.h>

#include <algorithm>
#include <iterator>
#include <sstream>

#include "backend/cuda/plugin.h"
#include "backend/cuda/runtime/status.h"
#include "common/error.h"
#include "common/text/number.h"

namespace nmt::cuda {
namespace {

std::string version(int thousands) {
  return fmt::format("{}.{}", thousands / 1000, thousands % 1000 / 10);
}

[[noreturn]] void refuse_driver() {
  int driver = 0;
  static_cast<void>(cudaDriverGetVersion(&driver));
  static_cast<void>(cudaGetLastError());
  if (driver == 0) throw NoGpu("this machine has no driver for NVIDIA GPUs");
  throw UsageError("the NVIDIA driver supports CUDA {}, but this build needs {}: update the driver",
                   version(driver), version(CUDART_VERSION));
}

/// Returns the number of GPUs, at least one.
int count_gpus() {
  int count = 0;
  const cudaError_t status = cudaGetDeviceCount(&count);
  if (status == cudaErrorInsufficientDriver || status == cudaErrorStubLibrary) refuse_driver();
  if (status == cudaErrorNoDevice || (status == cudaSuccess && count == 0)) {
    static_cast<void>(cudaGetLastError());
    throw NoGpu("there is no NVIDIA GPU that this process may use (CUDA_VISIBLE_DEVICES hides GPUs)");
  }
  check(status);
  return count;
}

cudaDeviceProp facts_of(int gpu) {
  cudaDeviceProp facts{};
  check(cudaGetDeviceProperties(&facts, gpu));
  return facts;
}

/// Whether code for one architecture, named as in has_code(), runs on a GPU.
bool has_code_of(std::string_view architecture, int capability) {
  const std::size_t digits = std::min(architecture.find_first_not_of("0123456789"), architecture.size());
  const int built_for = number_of<int>(architecture.substr(0, digits)).value_or(0);
  const std::string_view rest = architecture.substr(digits);
  if (rest.starts_with('a')) return capability == built_for;
  const bool generation_alone = rest.starts_with('f') || rest == "-real";
  return capability >= built_for && (!generation_alone || capability / 10 == built_for / 10);
}

}  // namespace

bool has_code(std::string_view architectures, int capability) {
  std::istringstream names{std::string(architectures)};
  return std::any_of(std::istream_iterator<std::string>(names), {},
                     [&](const std::string& name) { return has_code_of(name, capability); });
}

std::vector<std::string> names_of_gpus() {
  std::vector<std::string> names;
  for (int gpu = 0, count = count_gpus(); gpu < count; ++gpu) {
    std::string& name = names.emplace_back();
    for (const char byte : facts_of(gpu).uuid.bytes)
      name += fmt::format("{:02x}", static_cast<unsigned char>(byte));
  }
  return names;
}

Gpu find_gpu(int number) {
  const int count = count_gpus();
  if (number >= count) {
    throw UsageError("cuda:{} does not exist: this machine has {}", number,
                     count == 1 ? "cuda:0 alone" : fmt::format("cuda:0 to cuda:{}", count - 1));
  }
  const cudaDeviceProp facts = facts_of(number);
  Gpu gpu{number, facts.name, facts.major * 10 + facts.minor};
  if (!has_code(NMT_CUDA_ARCHITECTURES, gpu.capability)) {
    throw UsageError(
        "cuda:{}, {}, has compute capability {}.{}, but this build has code for {} only: build it with "
        "CUDAARCHS={} in the environment",
        number, gpu.name, facts.major, facts.minor, NMT_CUDA_ARCHITECTURES, gpu.capability);
  }
  return gpu;
}

}  // namespace nmt::cuda
