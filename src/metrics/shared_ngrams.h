// The n-grams that texts share, each with each other.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "metrics/ngrams.h"

namespace nmt {

/// The n-grams of several sequences, counted once, so that each pair of them takes one walk along both lists.
class SharedNgrams {
 public:
  SharedNgrams(std::span<const Symbols> sequences, std::size_t orders);

  /// For n = 1..orders, how many n-grams of sequence `a` are correct where `b` is the reference; the same the
  /// other way round. See ngram_matches().
  std::vector<double> matches(std::size_t a, std::size_t b) const;

 private:
  /// An n-gram by its number among those of its order, and how often it is there.
  using Counted = std::pair<std::uint32_t, std::uint32_t>;
  using Counts = std::vector<Counted>;  // rising

  std::size_t orders_;
  std::vector<Counts> counts_;  // [sequence * orders + n - 1]
};

}  // namespace nmt
