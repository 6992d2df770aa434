// Coverage: whether translations attend to all of their source.
#pragma once

#include <cstdint>
#include <vector>

#include "translate/scoring/alignment.h"
#include "translate/search/strategy.h"

namespace nmt {

/// Returns the sum of log(min(a, 1)) over all source words and EOS, where a is the total attention that the
/// target words and EOS pay to each (Wu et al., 2016, equation 14, with beta 1). Source words without any
/// attention do not count, such as the EOS of a source without one. At most 0.
double log_coverage(const Alignment& alignment);

/// Returns the term that coverage adds to the score of a translation: log_coverage() times beta. At most 0.
double coverage_score(const SearchSettings& search, const Alignment& alignment);

/// Returns the pairs of a source and its hypotheses whose alignments give their coverage, with pieces as
/// words.
std::vector<AlignedPair> coverage_pairs(const std::vector<int>& source,
                                        const std::vector<Hypothesis>& hypotheses);
/// Sorts hypotheses whose scores have changed, by the fewest missing constraints and then by score, and keeps
/// the first `search.n_best`.
void keep_best(const SearchSettings& search, std::vector<Hypothesis>& hypotheses);

/// Adds coverage_score(), with pieces as words, to the scores of the hypotheses of a source and keeps the
/// best. `batch_tokens`: see Aligner::align().
void add_coverage(const Aligner& aligner, Worker& worker, const std::vector<int>& source,
                  const SearchSettings& search, std::int64_t batch_tokens,
                  std::vector<Hypothesis>& hypotheses);

}  // namespace nmt
