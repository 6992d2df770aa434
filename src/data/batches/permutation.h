// A random permutation of any size without a table.
#pragma once

#include <cstdint>

namespace nmt {

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

}  // namespace nmt
