// Opens the backend for a device name.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "backend/cuda_plugin.h"
#include "tensor/backend.h"

namespace nmt {

/// Returns the supported instruction sets of processors, from the oldest to the best: on x86-64, sse4_1, avx2
/// and avx512 for all types, avx_vnni and avx512_vnni for i8 weights, avx512_bf16 for bf16, amx for both; on
/// AArch64, neon for all types, neon_dotprod and neon_i8mm for i8 weights, neon_bf16 for bf16.
std::vector<std::string> cpu_instruction_sets();

/// The device, precision and threads of a backend. `device`: "cpu", "cuda" (which is "cuda:0"), "cuda:N",
/// "reference" (f64, plain loops) or "auto": the first usable GPU, else the CPU; also the CPU if `cpu_isa`
/// names an instruction set. `precision`: "f32", "bf16" (with f32 sums and masters), or "int8" (f32 with i8
/// weights, for inference); on GPUs also "f16" and "tf32" (f32 whose matrix products round their factors).
/// "auto" means f32 on the CPU, bf16 on GPUs that support it, and f64 on the reference device, which supports
/// nothing else except i8 weights. `cpu_isa`: "auto" (the best available) or one of cpu_instruction_sets();
/// `threads` at least 1. `streams`, at least 1: the number of threads that drive a GPU at the same time, each
/// on its own stream; several are for inference, and the CPU ignores them.
struct DeviceSettings {
  std::string device = "auto";
  std::string precision = "auto";
  std::string cpu_isa = "auto";
  int threads = 1;
  int streams = 1;
  bool quantized_models = false;  // whether "auto" on the CPU means int8 instead of f32, for int8 models
  bool f32_activations = false;   // whether "bf16" on the CPU is the type of weights only, for inference
  GpuEvents events = {};
};

/// Expands a device name into single devices: the GPUs of "cuda:0,2", and all GPUs of this machine for
/// "cuda:all"; any other name stands for itself. Throws UsageError if one is named twice, or if there are
/// none.
std::vector<std::string> devices_of(const std::string& device);

/// Returns what "auto" means for processes that share the GPUs of a machine: "cuda" if there are any, else
/// "cpu".
std::string best_device(const DeviceSettings& settings);

/// Returns, for each of these "cuda:N", a name of the GPU that is unique worldwide; the device name itself if
/// there is no such GPU. Throws UsageError if there are no GPUs.
std::vector<std::string> names_of_gpus(const std::vector<std::string>& devices);

/// Opens a backend. Throws UsageError if this machine lacks the requested device or precision.
std::unique_ptr<Backend> open_backend(const DeviceSettings& settings);

}  // namespace nmt
