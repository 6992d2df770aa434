// The random numbers of numpy.random.default_rng, so that resampled corpora are those of sacrebleu.
#pragma once

#include <array>
#include <cstdint>
#include <optional>

namespace nmt {

/// PCG64 (O'Neill, 2014: a congruential generator of 128 bits with output function XSL-RR), seeded by numpy's
/// SeedSequence.
class RandomGenerator {
 public:
  explicit RandomGenerator(std::uint64_t seed);

  std::uint64_t next64();
  /// The halves of a number of 64 bits, the lower first.
  std::uint32_t next32();

  /// A number below `end`, which is 1 to 2^32 - 1, every one as likely (Lemire, 2019). Draws none for 1.
  std::uint32_t below(std::uint32_t end);

 private:
  __extension__ using Wide = unsigned __int128;

  Wide state_ = 0, increment_;
  std::optional<std::uint32_t> half_;
};

/// Random bits, 32 of them from each number drawn. What is left of the last is lost with this.
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
