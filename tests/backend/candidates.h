// The backends under test.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <ostream>
#include <string>
#include <vector>

#include "backend/factory.h"
#include "common/error.h"

namespace nmt {

/// For GoogleTest, which would show the bytes of a parameter otherwise.
inline void PrintTo(const DeviceSettings& settings, std::ostream* stream) {
  *stream << settings.device << ' ' << settings.cpu_isa << ", threads " << settings.threads;
}

}  // namespace nmt

namespace nmt::testing {

/// Every backend that has to agree with the reference; a new one is one more line.
inline std::vector<DeviceSettings> candidates() {
  return {
      {.device = "cpu", .cpu_isa = "avx2", .threads = 1},
      {.device = "cpu", .cpu_isa = "avx2", .threads = 3},
      {.device = "cpu", .cpu_isa = "avx512", .threads = 1},
      {.device = "cpu", .cpu_isa = "avx512", .threads = 3},
  };
}

/// "cpu_avx2_3_threads", as names of tests need it.
inline std::string name_of(const DeviceSettings& settings) {
  return settings.device + "_" + settings.cpu_isa + "_" + std::to_string(settings.threads) + "_threads";
}

/// Skips the test, with the reason, where this machine lacks the backend.
class CandidateTest : public ::testing::Test {
 protected:
  void open(const DeviceSettings& settings) {
    settings_ = settings;
    try {
      open_backend(settings);
    } catch (const UsageError& error) {
      GTEST_SKIP() << error.what();
    }
  }
  const DeviceSettings& settings() const { return settings_; }

 private:
  DeviceSettings settings_;
};

}  // namespace nmt::testing
