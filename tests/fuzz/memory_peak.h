// How much memory is allocated at once.
#pragma once

#include <cstdint>

namespace nmt::fuzz {

/// Counts from its construction on, in all threads; one at a time.
class MemoryPeak {
 public:
  /// Whether allocations can be counted: not where a sanitizer has replaced malloc itself.
  static bool is_known();

  MemoryPeak();
  /// The most bytes that were allocated at once beyond those at the beginning.
  std::int64_t bytes() const;

 private:
  std::int64_t before_;
};

}  // namespace nmt::fuzz
