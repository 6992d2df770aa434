// What all metrics share: counts of each segment, summed over the corpus, become a score.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "metrics/score.h"

namespace nmt::metrics {

/// The counts that a metric needs from a segment. Those of a corpus are the sums over its segments, so
/// resampled corpora can be scored without the text.
using Statistics = std::vector<double>;

class Metric {
 public:
  virtual ~Metric() = default;

  /// The counts of one hypothesis against its references, one at least; always as many numbers.
  virtual Statistics segment(std::string_view hypothesis,
                             std::span<const std::string_view> references) const = 0;
  /// The score of summed counts. The signature holds the metric's own settings.
  virtual Score score(const Statistics& sum) const = 0;
};

/// The names that make_metric knows.
std::vector<std::string> metric_names();

/// The metric of that name with its usual settings. Throws UsageError for a name that is not in
/// metric_names().
std::unique_ptr<Metric> make_metric(std::string_view name);

/// The score of a corpus. `references[r][i]` is the r-th reference of `hypotheses[i]`; it may be empty. The
/// signature begins with the number of references. Throws Error without hypotheses or references, or when
/// their numbers of segments differ.
Score corpus_score(const Metric& metric, const std::vector<std::string>& hypotheses,
                   const std::vector<std::vector<std::string>>& references);

}  // namespace nmt::metrics
