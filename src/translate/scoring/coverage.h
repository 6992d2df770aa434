// Coverage: whether translations have looked at all of their source.
#pragma once

#include <cstdint>
#include <vector>

#include "translate/scoring/alignment.h"
#include "translate/search/strategy.h"

namespace nmt {

/// The sum of log(min(a, 1)) over all source words and EOS, where a is the attention that the target words
/// and EOS pay to one of them together (Wu et al., 2016, equation 14, with a beta of 1). Source words without
/// any attention do not count, such as the EOS of a source that has none. At most 0.
double log_coverage(const Alignment& alignment);

/// What the coverage of a translation adds to its score: log_coverage() times the setting's beta. At most 0.
double coverage_score(const SearchSettings& search, const Alignment& alignment);

/// The pairs whose alignments tell how much of a source its hypotheses cover: of pieces.
std::vector<AlignedPair> coverage_pairs(const std::vector<int>& source,
                                        const std::vector<Hypothesis>& hypotheses);
/// Orders hypotheses whose scores have changed, those that miss the fewest constraints first and then the
/// best, and keeps `search.n_best`.
void keep_best(const SearchSettings& search, std::vector<Hypothesis>& hypotheses);

/// Adds coverage_score(), with pieces for words, to the scores of hypotheses of a source, and keeps the best.
/// `batch_tokens`: see Aligner::align().
void add_coverage(const Aligner& aligner, Worker& worker, const std::vector<int>& source,
                  const SearchSettings& search, std::int64_t batch_tokens,
                  std::vector<Hypothesis>& hypotheses);

}  // namespace nmt
