// Counts n-grams of words or characters.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace nmt {

/// Words or characters as numbers: equal ones have equal numbers.
using Symbols = std::vector<std::uint32_t>;

/// Returns for n = 1..orders how many n-grams of `sequence` are correct; each counts at most as often as in
/// the reference that contains it most often. Takes about 40 bytes of memory per symbol of the sequence and 8
/// per symbol of a reference.
std::vector<double> ngram_matches(const Symbols& sequence, std::span<const Symbols> references,
                                  std::size_t orders);

/// Returns the number of n-grams of a sequence.
inline std::size_t ngrams_in(std::size_t length, std::size_t n) {
  return length < n ? 0 : length + 1 - n;
}

/// Counts the n-grams of several sequences once, so that each pair needs only one walk along both lists.
class SharedNgrams {
 public:
  SharedNgrams(std::span<const Symbols> sequences, std::size_t orders);

  /// Returns for n = 1..orders how many n-grams of sequence `a` are correct with `b` as the reference, which
  /// is symmetric. See ngram_matches().
  std::vector<double> matches(std::size_t a, std::size_t b) const;

 private:
  /// An n-gram, by its number among those of its order, with its count.
  using Counted = std::pair<std::uint32_t, std::uint32_t>;
  using Counts = std::vector<Counted>;  // ascending

  std::size_t orders_;
  std::vector<Counts> counts_;  // [sequence * orders + n - 1]
};

}  // namespace nmt
