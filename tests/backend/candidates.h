// The backends under test.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <ostream>
#include <string>
#include <utility>
#include <vector>

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

/// Returns the settings that the CPU supports, with `threads` threads.
inline std::vector<DeviceSettings> cpu_candidates(int threads) {
  std::vector<DeviceSettings> candidates;
  for (const auto& [precision, isa] : {std::pair{"f32", "avx2"},
                                       {"f32", "avx512"},
                                       {"bf16", "avx2"},
                                       {"bf16", "avx512"},
                                       {"bf16", "avx512_bf16"},
                                       {"bf16", "amx"}})
    candidates.push_back({.device = "cpu", .precision = precision, .cpu_isa = isa, .threads = threads});
  return candidates;
}

/// Returns the settings that the CPU supports for i8 weights, with `threads` threads.
inline std::vector<DeviceSettings> quantized_candidates(int threads) {
  std::vector<DeviceSettings> candidates;
  for (const char* isa : {"avx2", "avx_vnni", "avx512", "avx512_vnni", "amx"})
    candidates.push_back({.device = "cpu", .precision = "int8", .cpu_isa = isa, .threads = threads});
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
