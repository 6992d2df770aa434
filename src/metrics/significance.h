// Statistical significance of scores and of differences between systems: bootstrap resampling (Koehn, 2004)
// and approximate randomization (Riezler and Maxwell, 2005), with the random numbers and the rounding of
// sacrebleu.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "metrics/metric.h"

namespace nmt {

/// The counts of all segments of a system for one metric.
class SegmentCounts {
 public:
  void append(const Statistics& counts) {
    width_ = counts.size();
    numbers_.insert(numbers_.end(), counts.begin(), counts.end());
  }

  std::size_t segments() const { return width_ == 0 ? 0 : numbers_.size() / width_; }
  /// Returns how many counts a segment has.
  std::size_t width() const { return width_; }
  const double* segment(std::size_t i) const { return &numbers_[i * width_]; }
  Statistics sum() const;

 private:
  std::size_t width_ = 0;
  std::vector<double> numbers_;
};

struct Trials {
  std::size_t count = 1000;
  std::uint64_t seed = 12345;
};

/// Bootstrap: resamples as many corpora as there are trials, with segments drawn with replacement. Returns
/// the mean of their scores, and half the width of the interval that contains 95 % of them. Needs at least
/// one segment.
Confidence bootstrap(const CorpusMetric& metric, const SegmentCounts& counts, const Trials& trials);

/// The result of a paired test for a system.
struct Comparison {
  /// The probability of an equal or larger difference to the baseline if the systems were the same.
  double p_value;
  std::optional<Confidence> confidence;
};

/// Returns the confidence of a baseline; it differs from bootstrap() only in the rounding of the mean.
Confidence baseline_confidence(const CorpusMetric& metric, const SegmentCounts& counts, const Trials& trials);

/// Paired bootstrap: draws the same segments for both systems, which have the same number of segments.
Comparison paired_bootstrap(const CorpusMetric& metric, const SegmentCounts& baseline,
                            const SegmentCounts& system, const Trials& trials);

/// Paired approximate randomization: each trial swaps the translations of each segment with probability 1/2.
/// Then draws `resamples` corpora for a confidence; 0: none.
Comparison paired_randomization(const CorpusMetric& metric, const SegmentCounts& baseline,
                                const SegmentCounts& system, const Trials& trials, std::size_t resamples);

/// The numbers of random draws for a score, and their seed.
struct Draws {
  std::size_t resamples = 0;       // by bootstrap; 0: none
  std::size_t randomizations = 0;  // trials of approximate randomization; 0: none
  std::uint64_t seed = 12345;
};

/// Completes the signature that a metric has made, in the order of sacrebleu: adds the number of references,
/// the draws, and the version of nmt.
void complete_signature(Score& score, std::size_t references, const Draws& draws);

}  // namespace nmt
