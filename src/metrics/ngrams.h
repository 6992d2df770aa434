// Counts of n-grams, of words and of characters alike.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace nmt {

/// Words or characters as numbers: equal ones have equal numbers.
using Symbols = std::vector<std::uint32_t>;

/// For n = 1..orders, how many n-grams of `sequence` are correct, where each may be so as often as the one of
/// `references` has it that has it most often. Takes some 40 bytes of memory for each symbol of the sequence
/// and 8 for one of the references.
std::vector<double> ngram_matches(const Symbols& sequence, std::span<const Symbols> references,
                                  std::size_t orders);

/// The number of n-grams of a sequence.
inline std::size_t ngrams_in(std::size_t length, std::size_t n) {
  return length < n ? 0 : length + 1 - n;
}

}  // namespace nmt
