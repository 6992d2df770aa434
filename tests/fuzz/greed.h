// Limits the memory that is taken for invalid files.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <string>

#include "common/repeated.h"
#include "fuzz/memory_peak.h"
#include "fuzz/target.h"

namespace nmt::fuzz {

constexpr std::int64_t kMiB = std::int64_t{1} << 20;

/// Returns the memory that a loader may take: a small multiple of the file, and a constant.
inline std::int64_t allowed(const std::string& bytes) {
  return 16 * static_cast<std::int64_t>(bytes.size()) + 8 * kMiB;
}

using testing::repeated;

class Greed : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!MemoryPeak::is_known()) GTEST_SKIP() << "a sanitizer has an allocator of its own";
  }

  /// Returns the maximum bytes allocated while a file is rejected.
  static std::int64_t refused_at(const Target& target, const std::string& bytes) {
    target.load(target.seeds().front());  // makes what is made only once
    const MemoryPeak peak;
    EXPECT_TRUE(refuses(target, bytes));
    return peak.bytes();
  }
  static void expect_modest(const Target& target, const std::string& bytes) {
    EXPECT_LE(refused_at(target, bytes), allowed(bytes)) << target.name << ": " << bytes.substr(0, 200);
  }
};

}  // namespace nmt::fuzz
