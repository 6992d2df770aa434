// The order of the examples of a pass over a corpus: random, in pools, by length.
#pragma once

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <vector>

#include "data/example.h"

namespace nmt {

/// Returns the indices of these lengths in descending order of length; equal lengths keep their order.
std::vector<std::size_t> longest_first(const std::vector<std::int64_t>& lengths);

/// Sorts examples so that neighbors have similar lengths on both sides, which saves padding; `budget` is that
/// of the batches to come. Works for sources without targets too. The result is a function of the examples
/// and their order.
void sort_by_lengths(std::vector<Example>& examples, std::int64_t budget);

/// A permutation of [0, size): a Feistel network of four rounds over the next power of four, with Philox as
/// the round function; values outside the range pass through it again (cycle walking; Black and Rogaway,
/// 2002).
class Permutation {
 public:
  Permutation(std::int64_t size, std::uint64_t seed, std::uint64_t epoch);

  /// Returns the element at place i.
  std::int64_t operator()(std::int64_t i) const;

 private:
  std::uint64_t scramble(std::uint64_t x) const;

  std::uint64_t size_, seed_, epoch_;
  int half_bits_ = 1;
};

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
