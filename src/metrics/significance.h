// How far a difference between systems, or a score, may be due to the choice of segments: bootstrap
// resampling (Koehn, 2004) and approximate randomization (Riezler and Maxwell, 2005) as sacrebleu does them,
// with its random numbers and its roundings.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "metrics/metric.h"

namespace nmt {

/// The counts of all segments of a system by one metric.
class SegmentCounts {
 public:
  void append(const Statistics& counts) {
    width_ = counts.size();
    numbers_.insert(numbers_.end(), counts.begin(), counts.end());
  }

  std::size_t segments() const { return width_ == 0 ? 0 : numbers_.size() / width_; }
  /// How many numbers a segment has.
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

/// Bootstrap: the mean of the scores of as many corpora as there are trials, each of segments drawn with
/// replacement, and half the width of the interval in which 95 % of them lie. There is one segment at least.
Confidence bootstrap(const Metric& metric, const SegmentCounts& counts, const Trials& trials);

/// What a paired test tells of a system.
struct Comparison {
  /// The probability of so large a difference to the baseline, or a larger one, if the systems were the same.
  double p_value;
  std::optional<Confidence> confidence;
};

/// The confidence of a baseline, which differs from that of bootstrap() in the rounding of the mean alone.
Confidence baseline_confidence(const Metric& metric, const SegmentCounts& counts, const Trials& trials);

/// Paired bootstrap: the same segments are drawn of both systems. Both have the same number of segments.
Comparison paired_bootstrap(const Metric& metric, const SegmentCounts& baseline, const SegmentCounts& system,
                            const Trials& trials);

/// Paired approximate randomization: each trial exchanges the two translations of a segment or does not.
/// Then draws `resamples` corpora for a confidence; 0: none.
Comparison paired_randomization(const Metric& metric, const SegmentCounts& baseline,
                                const SegmentCounts& system, const Trials& trials, std::size_t resamples);

/// How many corpora were drawn for a score, and from which seed.
struct Draws {
  std::size_t resamples = 0;       // by bootstrap; 0: none
  std::size_t randomizations = 0;  // trials of approximate randomization; 0: none
  std::uint64_t seed = 12345;
};

/// Puts into a signature what the metric itself does not know, in the order of sacrebleu: the number of
/// references, draws, and the version of this program.
void complete_signature(Score& score, std::size_t references, const Draws& draws);

}  // namespace nmt
