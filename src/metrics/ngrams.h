// Counts of n-grams, of words and of characters alike.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace nmt {

/// Words or characters as numbers: equal ones have equal numbers.
using Symbols = std::vector<std::uint32_t>;

/// The n-grams of a sequence for n = 1..orders, each with the number of its occurrences.
class NgramCounts {
 public:
  NgramCounts(std::span<const std::uint32_t> sequence, std::size_t orders);

  /// How often `other` has each n-gram of this sequence, in an order of n-grams that is always the same.
  std::vector<std::uint32_t> counts_in(std::span<const std::uint32_t> other) const;

  /// For n = 1..orders, how many n-grams of this sequence are correct where each may be so as often as
  /// `allowed`, which is in the order of counts_in, says.
  std::vector<double> matches(std::span<const std::uint32_t> allowed) const;

 private:
  /// An n-gram is the number of the one that lacks its last symbol, and that symbol.
  struct Slot {
    std::uint64_t key = 0;
    std::uint32_t ngram = 0;  // 0: the slot is free
  };

  static std::uint64_t key_of(std::uint32_t prefix, std::uint32_t symbol) {
    return std::uint64_t{prefix} << 32U | symbol;
  }
  /// The slot of that key, or the free one where it belongs.
  std::size_t find(std::uint64_t key) const;

  std::size_t orders_;
  unsigned shift_;                        // of a product of 64 bits, to get the index of a slot
  std::vector<Slot> slots_;               // a hash table with linear probing
  std::vector<std::uint32_t> counts_{0};  // by n-gram; number 0 is the empty one
  std::vector<std::uint32_t> last_{0};    // the last n-gram of each order from 0 on
};

/// The number of n-grams of a sequence.
inline std::size_t ngrams_in(std::size_t length, std::size_t n) {
  return length < n ? 0 : length + 1 - n;
}

}  // namespace nmt
