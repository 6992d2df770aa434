// Counts n-grams of words or characters.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
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

}  // namespace nmt
