// Opens the backend that a device name stands for.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "backend/cuda_plugin.h"
#include "tensor/backend.h"

namespace nmt {

/// The instruction sets of processors that there are kernels for, from the least to the best: avx2 and avx512
/// for all types, avx_vnni and avx512_vnni for weights of i8, avx512_bf16 for bf16, amx for both.
const std::vector<std::string>& cpu_instruction_sets();

/// How to compute. `device`: "cpu", "cuda" (the same as "cuda:0"), "cuda:N", "reference" (f64, plain loops)
/// or "auto": the first card where there is one that can be used, else the CPU; the CPU too where `cpu_isa`
/// names something. `precision`: "f32", "bf16" (sums and masters are f32 then), "int8" (f32 with weights of
/// i8, for inference; not on cards), on cards also "f16" and "tf32" (f32 whose matrix products round their
/// factors), or "auto": f32 on the CPU, bf16 on cards that have it, and f64 on the reference device, which
/// has nothing else but weights of i8. `cpu_isa`: "auto" (the best there is) or one of
/// cpu_instruction_sets(); `threads` at least 1. `streams`, at least 1: threads that drive a card at the same
/// time, each on a stream of its own; several are for inference, and none of the CPU's business.
struct DeviceSettings {
  std::string device = "auto";
  std::string precision = "auto";
  std::string cpu_isa = "auto";
  int threads = 1;
  int streams = 1;
  bool quantized_models = false;  // what "auto" is on the CPU: int8, for models that are stored so, or f32
  CardEvents events = {};
};

/// What stands for several devices one by one: the cards of "cuda:0,2", and all of this machine for
/// "cuda:all"; whatever else, for itself. Throws UsageError where one is named twice, or where there are
/// none.
std::vector<std::string> devices_of(const std::string& device);

/// What "auto" is for processes that share the cards of a machine: "cuda" where there are some, else "cpu".
std::string best_device(const DeviceSettings& settings);

/// For each of these, "cuda:N", a name that no other card anywhere has; itself where there is no such card.
/// Throws UsageError where there are no cards.
std::vector<std::string> names_of_cards(const std::vector<std::string>& devices);

/// Throws UsageError when this machine lacks what is asked for.
std::unique_ptr<Backend> open_backend(const DeviceSettings& settings);

}  // namespace nmt
