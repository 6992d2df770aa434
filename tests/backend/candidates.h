// The backends under test.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <ostream>
#include <string>
#include <utility>
#include <vector>

#include "backend/cpu/instruction_set.h"
#include "backend/devices.h"
#include "backend/factory.h"
#include "common/error.h"

namespace nmt {

/// Prints the name for GoogleTest, which would otherwise print the bytes of a parameter.
inline void PrintTo(const DeviceSettings& settings, std::ostream* stream) {
  *stream << settings.device << ' ' << settings.precision << ' ' << settings.cpu_isa << ", threads "
          << settings.threads;
}

}  // namespace nmt

namespace nmt::testing {

constexpr Precision kInt8 = {.compute = DType::f32, .weights = DType::i8};

/// Returns the settings that the CPU supports for a precision, with `threads` threads.
inline std::vector<DeviceSettings> cpu_candidates(int threads, const std::string& name,
                                                  const Precision& precision) {
  std::vector<DeviceSettings> candidates;
  for (const std::string& isa : cpu::instruction_set_names(precision))
    candidates.push_back({.device = "cpu", .precision = name, .cpu_isa = isa, .threads = threads});
  return candidates;
}

/// Returns the settings that the CPU supports, with `threads` threads.
inline std::vector<DeviceSettings> cpu_candidates(int threads) {
  std::vector<DeviceSettings> candidates = cpu_candidates(threads, "f32", compute_in(DType::f32));
  const std::vector<DeviceSettings> others = cpu_candidates(threads, "bf16", compute_in(DType::bf16));
  candidates.insert(candidates.end(), others.begin(), others.end());
  return candidates;
}

/// Returns the settings that the CPU supports for i8 weights, with `threads` threads.
inline std::vector<DeviceSettings> quantized_cpu_candidates(int threads) {
  return cpu_candidates(threads, "int8", kInt8);
}

/// Returns every backend with i8 weights, those of the CPU first, with `threads` threads.
inline std::vector<DeviceSettings> quantized_candidates(int threads) {
  std::vector<DeviceSettings> candidates = quantized_cpu_candidates(threads);
  candidates.push_back({.device = "cuda", .precision = "int8"});
  return candidates;
}

/// Returns the settings of GPUs: the one in the machine, or the emulator instead.
inline std::vector<DeviceSettings> gpu_candidates() {
  std::vector<DeviceSettings> candidates;
  for (const char* precision : {"f32", "bf16", "f16"})
    candidates.push_back({.device = "cuda", .precision = precision});
  return candidates;
}

/// Returns every backend that must agree with the reference, with `threads` CPU threads.
inline std::vector<DeviceSettings> candidates(int threads) {
  std::vector<DeviceSettings> candidates = cpu_candidates(threads);
  const std::vector<DeviceSettings> gpus = gpu_candidates();
  candidates.insert(candidates.end(), gpus.begin(), gpus.end());
  return candidates;
}

/// Returns a name for tests: "cpu_f32_avx2_3_threads".
inline std::string name_of(const DeviceSettings& settings) {
  return settings.device + "_" + settings.precision + "_" + settings.cpu_isa + "_" +
         std::to_string(settings.threads) + "_threads";
}

/// Skips the test, with the reason, if this machine lacks the backend.
class CandidateTest : public ::testing::Test {
 protected:
  void open(const DeviceSettings& settings) {
    settings_ = settings;
    settings_.events = warnings_to_terminal();
    try {
      open_backend(settings_);
    } catch (const UsageError& error) {
      GTEST_SKIP() << error.what();
    }
  }
  const DeviceSettings& settings() const { return settings_; }

 private:
  DeviceSettings settings_;
};

}  // namespace nmt::testing
