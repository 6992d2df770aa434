// The pools of a pass over a corpus.
#pragma once

#include <cstdint>
#include <iterator>
#include <vector>

namespace nmt {

/// Divides a pass into pools of consecutive pairs.
class Pools {
 public:
  /// The first pool has `first` pairs. Pool sizes double while they are below `largest` and more than twice
  /// that size remains; the rest is divided evenly into the fewest pools of at most `largest`. So `first` =
  /// `largest` makes all pools equal. All arguments are positive.
  Pools(std::int64_t pairs, std::int64_t first, std::int64_t largest);

  std::int64_t count() const { return std::ssize(begins_) - 1; }
  /// Returns the first pair of pool `i`; for count(), the end of the last pool.
  std::int64_t begin(std::int64_t i) const { return begins_[static_cast<std::size_t>(i)]; }

 private:
  std::vector<std::int64_t> begins_;  // starts of pools, and the end of the last one
};

}  // namespace nmt
