// Builds lexical shortlists from aligned text.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "nn/saved/shortlist.h"
#include "translate/scoring/alignment.h"

namespace nmt {

/// Counts how often source and target pieces are aligned.
class ShortlistCounts {
 public:
  explicit ShortlistCounts(const Vocabularies& vocabularies);

  /// Adds a pair that was aligned piece by piece: each target piece counts for the source pieces that it
  /// attends to, by the weights.
  void add(const std::vector<int>& source, const std::vector<int>& target, const Alignment& alignment);

  /// Returns a shortlist of the `best` target pieces of each source piece by count, and of the `frequent`
  /// most frequent target pieces and EOS for all sentences. If both sides share a vocabulary, each source
  /// piece is also a candidate itself.
  Shortlist shortlist(std::size_t best, std::size_t frequent) const;

 private:
  using Counts = std::map<std::int32_t, double>;

  const Vocabularies& vocabularies_;
  std::vector<Counts> of_source_;
  Counts of_target_;
};

}  // namespace nmt
