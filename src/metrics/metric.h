// What all metrics share: counts of each segment, summed over the corpus, become a score.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "metrics/score.h"

namespace nmt {

/// The counts that a metric needs from a segment. Those of a corpus are the sums over its segments, so
/// resampled corpora can be scored without the text.
using Statistics = std::vector<double>;

/// What can be set about metrics; each takes what concerns it.
struct MetricSettings {
  std::string tokenizer = "13a";          // of BLEU, see tokenizer.h
  std::string smoothing = "exp";          // of BLEU, see bleu.h
  std::optional<double> smoothing_value;  // for floor (0.1) and add-k (1)
  bool lowercase = false;                 // BLEU and chrF of texts in lower case; TER always is
  bool sentence = false;  // a single segment is scored: BLEU leaves out orders without n-grams
};

class Metric {
 public:
  virtual ~Metric() = default;

  /// The counts of one hypothesis against its references, one at least; always as many numbers. Lines are
  /// UTF-8.
  virtual Statistics segment(std::string_view hypothesis,
                             std::span<const std::string_view> references) const = 0;
  /// The score of summed counts. The signature holds the metric's own settings.
  virtual Score score(const Statistics& sum) const = 0;

  /// The value of that score.
  virtual double value(const Statistics& sum) const { return score(sum).value; }
  /// The values of these texts, each with each one as its reference: that of text a by text b at
  /// [a * texts.size() + b].
  virtual std::vector<double> pairwise(std::span<const std::string_view> texts) const;

  /// The value of the score from counts in single precision, from which numpy has sacrebleu score resampled
  /// corpora, in the precision that comes out.
  virtual std::variant<float, double> resampled(std::span<const float> sum) const = 0;
};

/// The names that make_metric knows.
std::vector<std::string> metric_names();

/// Whether a smaller value of the metric of that name is better.
bool less_is_better(std::string_view metric);

/// The metric of that name. Throws UsageError for a name that is not in metric_names(), and for settings that
/// the metric refuses.
std::unique_ptr<Metric> make_metric(std::string_view name, const MetricSettings& settings = {});

/// Adds the counts of a segment to those of the segments before it, of which there may be none.
void add(Statistics& sum, const Statistics& counts);

/// The score of a corpus. `references[r][i]` is the r-th reference of `hypotheses[i]`; it may be empty. The
/// signature begins with the number of references. Throws Error without hypotheses or references, or when
/// their numbers of segments differ.
Score corpus_score(const Metric& metric, const std::vector<std::string>& hypotheses,
                   const std::vector<std::vector<std::string>>& references);

}  // namespace nmt
