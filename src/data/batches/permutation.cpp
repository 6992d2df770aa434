#include "data/batches/permutation.h"

#include "common/philox.h"

namespace nmt {

Permutation::Permutation(std::int64_t size, std::uint64_t seed, std::uint64_t epoch)
    : size_(static_cast<std::uint64_t>(size)), seed_(seed), epoch_(epoch) {
  while ((std::uint64_t{1} << (2 * half_bits_)) < size_) ++half_bits_;
}

std::uint64_t Permutation::scramble(std::uint64_t x) const {
  const std::uint64_t mask = (std::uint64_t{1} << half_bits_) - 1;
  std::uint64_t left = x >> half_bits_, right = x & mask;
  for (std::uint32_t round = 0; round < 4; ++round) {
    const auto words =
        philox4x32({static_cast<std::uint32_t>(right), static_cast<std::uint32_t>(epoch_),
                    static_cast<std::uint32_t>(epoch_ >> 32), round},
                   {static_cast<std::uint32_t>(seed_), static_cast<std::uint32_t>(seed_ >> 32)});
    const std::uint64_t next = left ^ (words[0] & mask);
    left = right;
    right = next;
  }
  return left << half_bits_ | right;
}

std::int64_t Permutation::operator()(std::int64_t i) const {
  auto x = static_cast<std::uint64_t>(i);
  do {
    x = scramble(x);
  } while (x >= size_);
  return static_cast<std::int64_t>(x);
}

}  // namespace nmt
