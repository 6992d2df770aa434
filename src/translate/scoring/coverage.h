// Coverage: whether translations have looked at all of their source.
#pragma once

#include <cstdint>
#include <vector>

#include "translate/scoring/alignment.h"
#include "translate/search/strategy.h"

namespace nmt {

/// The sum over all source words, and their end as one more, of log(min(a, 1)), where a is the sum of the
/// weights by which the target words and their end look at it: the coverage penalty of Wu et al., 2016,
/// equation 14, with a beta of 1. What nothing looks at does not count, such as the end of a source without
/// one. At most 0.
double coverage_penalty(const Alignment& alignment);

/// The pairs whose alignments tell how much of a source its hypotheses cover: of pieces.
std::vector<AlignedPair> coverage_pairs(const std::vector<int>& source,
                                        const std::vector<Hypothesis>& hypotheses);
/// Orders hypotheses whose scores have changed, those that miss the fewest constraints first and then the
/// best, and keeps `search.n_best`.
void keep_best(const SearchSettings& search, std::vector<Hypothesis>& hypotheses);

/// Adds `search.coverage_penalty` times that of their pieces to the scores of hypotheses of a source, and
/// keeps the best. `batch_tokens`: see Aligner::align().
void add_coverage(const Aligner& aligner, Worker& worker, const std::vector<int>& source,
                  const SearchSettings& search, std::int64_t batch_tokens,
                  std::vector<Hypothesis>& hypotheses);

}  // namespace nmt
