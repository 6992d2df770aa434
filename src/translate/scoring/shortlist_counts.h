// Shortlists made of text that is aligned.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "nn/files/shortlist.h"
#include "translate/scoring/alignment.h"

namespace nmt {

/// Counts which pieces are aligned.
class ShortlistCounts {
 public:
  explicit ShortlistCounts(const Vocabularies& vocabularies);

  /// Adds a pair that was aligned piece by piece: each target piece counts for the source pieces that it
  /// looks at, by its weights.
  void add(const std::vector<int>& source, const std::vector<int>& target, const Alignment& alignment);

  /// The `best` target pieces of each source piece by count, and the `frequent` most frequent ones and EOS
  /// for any sentence. Where both sides have one vocabulary, each piece may stay what it is.
  Shortlist shortlist(std::size_t best, std::size_t frequent) const;

 private:
  using Counts = std::map<std::int32_t, double>;

  const Vocabularies& vocabularies_;
  std::vector<Counts> of_source_;
  Counts of_target_;
};

}  // namespace nmt
