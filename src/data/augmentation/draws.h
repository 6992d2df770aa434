// Random numbers that depend only on a seed, a pair and the use that they have.
#pragma once

#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>

#include "common/philox.h"

namespace nmt {

/// An endless sequence of random numbers (Philox4x32-10). Equal arguments give equal sequences; sequences of
/// different arguments are independent.
class Draws {
 public:
  /// `key`: the seed, for instance of a pool of pairs; `number`: of the pair; `use`: what is drawn.
  Draws(std::uint64_t key, std::int64_t number, std::uint32_t use)
      : key_{static_cast<std::uint32_t>(key), static_cast<std::uint32_t>(key >> 32)},
        counter_{0, static_cast<std::uint32_t>(number),
                 static_cast<std::uint32_t>(static_cast<std::uint64_t>(number) >> 32), use} {}

  /// Returns a number from 0 to 1, without 1.
  double uniform() { return static_cast<double>(word()) * 0x1p-32; }
  /// Returns true with this probability.
  bool chance(double probability) { return uniform() < probability; }
  /// Returns a whole number from 0 to `count` - 1. `count` is positive, and much smaller than 2^32.
  std::int64_t below(std::int64_t count) {
    return static_cast<std::int64_t>(uniform() * static_cast<double>(count));
  }
  /// Returns how many of a series of chances with this probability above 0 fail before the next one succeeds.
  std::int64_t failures(double probability) {
    constexpr double kMost = 1e15;
    if (probability >= 1) return 0;
    const double count = std::floor(std::log(1 - uniform()) / std::log1p(-probability));
    return static_cast<std::int64_t>(std::fmin(count, kMost));
  }

 private:
  std::uint32_t word() {
    if (left_ == 0) {
      block_ = philox4x32(counter_, key_);
      ++counter_[0];
      left_ = block_.size();
    }
    return block_[block_.size() - left_--];
  }

  std::array<std::uint32_t, 2> key_;
  std::array<std::uint32_t, 4> counter_;
  std::array<std::uint32_t, 4> block_{};
  std::size_t left_ = 0;  // words of the block that were not returned yet
};

}  // namespace nmt
