// The pools of a pass over a corpus.
#pragma once

#include <cstdint>
#include <iterator>
#include <vector>

namespace nmt {

/// How a pass is divided into pools of consecutive pairs.
class Pools {
 public:
  /// The first pool has `first` pairs, and each next one twice as many, while they are less than `largest`
  /// and more than the same again is left; the rest is divided evenly, into as few pools of at most `largest`
  /// as will do. So `first` = `largest` makes all of a size. All arguments are positive.
  Pools(std::int64_t pairs, std::int64_t first, std::int64_t largest);

  std::int64_t count() const { return std::ssize(begins_) - 1; }
  /// The first pair of pool `i`; for count(), where the last one ends.
  std::int64_t begin(std::int64_t i) const { return begins_[static_cast<std::size_t>(i)]; }

 private:
  std::vector<std::int64_t> begins_;  // and the end of the last one
};

}  // namespace nmt
