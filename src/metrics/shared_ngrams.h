// The n-grams shared by each pair of several texts.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "metrics/ngrams.h"

namespace nmt {

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
