// Measures how much memory is allocated at a time.
#pragma once

#include <cstdint>

namespace nmt::fuzz {

/// Counts in all threads from its construction on; one object at a time.
class MemoryPeak {
 public:
  /// Whether allocations can be counted: not if a sanitizer has replaced malloc.
  static bool is_known();

  MemoryPeak();
  /// Returns the maximum bytes allocated at a time beyond those at the beginning.
  std::int64_t bytes() const;

 private:
  std::int64_t before_;
};

}  // namespace nmt::fuzz
