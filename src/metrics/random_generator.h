// The random numbers of numpy.random.default_rng, so that resampled corpora equal those of sacrebleu.
#pragma once

#include <array>
#include <cstdint>
#include <optional>

namespace nmt {

/// PCG64 (O'Neill, 2014: a 128-bit congruential generator with output function XSL-RR), seeded by numpy's
/// SeedSequence.
class RandomGenerator {
 public:
  explicit RandomGenerator(std::uint64_t seed);

  std::uint64_t next64();
  /// Returns the halves of a 64-bit number, the lower one first.
  std::uint32_t next32();

  /// Returns a uniform number below `end`, which is 1 to 2^32 - 1 (Lemire, 2019). Draws no number for 1.
  std::uint32_t below(std::uint32_t end);

 private:
  __extension__ using Wide = unsigned __int128;

  Wide state_ = 0, increment_;
  std::optional<std::uint32_t> half_;
};

/// Random bits, 32 from each number drawn. The remaining bits of the last number are lost with this object.
class RandomBits {
 public:
  explicit RandomBits(RandomGenerator& generator) : generator_(generator) {}

  bool next() {
    if (left_ == 0) {
      bits_ = generator_.next32();
      left_ = 32;
    }
    const bool bit = (bits_ & 1U) != 0;
    bits_ >>= 1U;
    --left_;
    return bit;
  }

 private:
  RandomGenerator& generator_;
  std::uint32_t bits_ = 0;
  int left_ = 0;
};

}  // namespace nmt
