#include "backend/factory.h"

#include <algorithm>
#include <sstream>

#include "backend/cpu/cpu_backend.h"
#include "backend/cuda_plugin.h"
#include "backend/reference/reference.h"
#include "common/error.h"

namespace nmt {
namespace {

Precision cpu_precision(const std::string& precision, bool f32_activations) {
  if (precision == "auto" || precision == "f32") return compute_in(DType::f32);
  if (precision == "bf16" && f32_activations) return {.compute = DType::f32, .weights = DType::bf16};
  if (precision == "bf16") return compute_in(DType::bf16);
  if (precision == "int8") return {.compute = DType::f32, .weights = DType::i8};
  if (precision == "f16" || precision == "tf32")
    throw UsageError(
        "precision {} needs a CUDA device: on the CPU, use auto, f32, bf16 or, to translate, int8",
        precision);
  throw UsageError("unknown precision '{}': use auto, f32, tf32, bf16, f16 or int8", precision);
}

std::unique_ptr<Backend> open_cpu_backend(const DeviceSettings& settings) {
  const bool is_quantized = settings.precision == "auto" && settings.quantized_models;
  return std::make_unique<CpuBackend>(
      settings.threads, settings.cpu_isa,
      cpu_precision(is_quantized ? "int8" : settings.precision, settings.f32_activations));
}

std::unique_ptr<Backend> open_reference_backend(const DeviceSettings& settings) {
  if (settings.precision == "int8") return std::make_unique<ReferenceBackend>(DType::i8);
  if (settings.precision == "auto") return std::make_unique<ReferenceBackend>();
  throw UsageError("the reference device computes only in f64: use precision auto or int8, not {}",
                   settings.precision);
}

/// Whether "auto" looks for GPUs: an explicit instruction set selects the CPU.
bool may_be_a_gpu(const DeviceSettings& settings) {
  return settings.cpu_isa == "auto" && has_cuda_driver();
}

std::unique_ptr<Backend> open_best_backend(const DeviceSettings& settings) {
  if (may_be_a_gpu(settings))
    if (auto backend = open_cuda_backend_if_any(settings.precision, settings.streams, settings.events))
      return backend;
  return open_cpu_backend(settings);
}

}  // namespace

std::vector<std::string> cpu_instruction_sets() {
  return cpu::instruction_set_names();
}

std::vector<std::string> devices_of(const std::string& device) {
  if (device == "cuda:all") {
    std::vector<std::string> gpus;
    for (std::size_t count = names_of_cuda_gpus().size(); gpus.size() < count;)
      gpus.push_back(fmt::format("cuda:{}", gpus.size()));
    return gpus;
  }
  if (device.find(',') == std::string::npos) return {device};
  std::vector<std::string> gpus;
  std::istringstream numbers(device.substr(device.find(':') + 1));
  for (std::string number; std::getline(numbers, number, ',');) {
    const std::string gpu = "cuda:" + number;
    if (std::ranges::find(gpus, gpu) != gpus.end())
      throw UsageError("device {} names {} twice: give each GPU once", device, gpu);
    gpus.push_back(gpu);
  }
  return gpus;
}

std::string best_device(const DeviceSettings& settings) {
  return may_be_a_gpu(settings) && !names_of_cuda_gpus_if_any(*settings.events.log).empty() ? "cuda" : "cpu";
}

std::vector<std::string> names_of_gpus(const std::vector<std::string>& devices) {
  const std::vector<std::string> all = names_of_cuda_gpus();
  std::vector<std::string> names;
  for (const std::string& device : devices) {
    const std::size_t gpu = static_cast<std::size_t>(cuda_gpu_number(device));
    names.push_back(gpu < all.size() ? all[gpu] : device);
  }
  return names;
}

std::unique_ptr<Backend> open_backend(const DeviceSettings& settings) {
  if (settings.threads < 1) throw UsageError("threads is {}: it must be at least 1", settings.threads);
  if (settings.streams < 1) throw UsageError("streams is {}: it must be at least 1", settings.streams);
  if (settings.device == "reference") return open_reference_backend(settings);
  if (settings.device == "auto") return open_best_backend(settings);
  if (settings.device == "cpu") return open_cpu_backend(settings);
  if (settings.device == "cuda" || settings.device.starts_with("cuda:")) {
    return open_cuda_backend(settings.device, settings.precision, settings.streams, settings.events);
  }
  throw UsageError("unknown device '{}': use auto, cpu, cuda, cuda:N or reference", settings.device);
}

}  // namespace nmt
