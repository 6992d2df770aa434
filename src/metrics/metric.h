// The interface of all metrics: counts of segments, summed over the corpus, give a score, in the formats
// of sacrebleu.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace nmt {

/// A mean, and half the width of the 95 % confidence interval around it.
struct Confidence {
  double mean = 0, half_width = 0;
};

/// The score of a translation.
struct Score {
  std::string name;  // "BLEU"
  double value = 0;
  /// Settings for reproducing the score, in order: {"nrefs", "1"}, {"case", "mixed"} ...
  std::vector<std::pair<std::string, std::string>> signature;
  std::string details = {};  // text after the value: "85.7/69.2/50.0/36.4 (BP = 1.000 ...", or empty
  std::optional<Confidence> confidence = {};                          // a mean of 0 is not printed
  std::vector<std::pair<std::string, std::string>> json_fields = {};  // further fields, their values as JSON
  int more_digits = 0;  // digits after the decimal point beyond those of metrics from 0 to 100

  /// Returns the value with `width` digits after the decimal point, and more_digits, and the confidence if
  /// there is one.
  std::string number(int width) const;
  /// Returns `nrefs:1|case:mixed ...`.
  std::string signature_text() const;
  /// Returns `BLEU|nrefs:1|case:mixed = 57.3 85.7/69.2/50.0/36.4 (BP = 1.000 ...`; `width` concerns only the
  /// value.
  std::string text(int width) const;
  /// Returns a JSON object: name, score (rounded to `width` digits), signature, those of confidence_mean,
  /// confidence_var, confidence and verbose_score that exist, and every field of the signature. It is on
  /// several lines or on one.
  std::string json(int width, bool one_line = false) const;
};

/// Formats "25.60 ± 1.23" with the given `width`.
std::string plus_minus(const Confidence& confidence, int width);

/// Formats a number as Python does in JSON: the shortest digits that read back to the same number, "100.0"
/// and "1e-05".
std::string json_number(double number);

/// The counts that a metric needs from a segment. The counts of a corpus are the sums over its segments, so
/// that resampled corpora can be scored without the text.
using Statistics = std::vector<double>;

/// Settings of metrics; each metric reads those that concern it.
struct MetricSettings {
  std::string tokenizer = "13a";          // for BLEU, see tokenizer.h
  std::string smoothing = "exp";          // for BLEU, see bleu.h
  std::optional<double> smoothing_value;  // for floor (0.1) and add-k (1)
  bool lowercase = false;                 // for BLEU and chrF: lowercase the texts; TER always does
  bool sentence = false;  // whether a single segment is scored: BLEU then leaves out orders without n-grams
};

/// Scores counts of segments that are summed over a corpus.
class CorpusMetric {
 public:
  virtual ~CorpusMetric() = default;

  /// Returns the score of summed counts. The signature contains the metric's own settings.
  virtual Score score(const Statistics& sum) const = 0;

  /// Returns the value of the score.
  virtual double value(const Statistics& sum) const { return score(sum).value; }

  /// Returns the value of the score from counts in single precision, as sacrebleu scores resampled corpora by
  /// numpy, in the precision that results there.
  virtual std::variant<float, double> resampled(std::span<const float> sum) const = 0;
};

/// A metric that compares texts with references.
class Metric : public CorpusMetric {
 public:
  /// Returns the counts of one hypothesis against its references, at least one; their number is fixed. Lines
  /// are UTF-8.
  virtual Statistics segment(std::string_view hypothesis,
                             std::span<const std::string_view> references) const = 0;
  /// Returns the values of all pairs of texts: the score of text a with text b as its only reference is at [a
  /// * texts.size() + b].
  virtual std::vector<double> pairwise(std::span<const std::string_view> texts) const;
};

/// A metric whose score is the mean of the scores of segments: the counts of a segment are its score and 1.
class MeanMetric final : public CorpusMetric {
 public:
  using Signature = std::vector<std::pair<std::string, std::string>>;
  /// `digits`: number of digits of scores after the decimal point, beyond those of other metrics.
  MeanMetric(std::string name, Signature signature, int digits)
      : name_(std::move(name)), signature_(std::move(signature)), digits_(digits) {}

  static Statistics segment(double score) { return {score, 1}; }
  Score score(const Statistics& sum) const override {
    return {.name = name_, .value = sum.at(0) / sum.at(1), .signature = signature_, .more_digits = digits_};
  }
  std::variant<float, double> resampled(std::span<const float> sum) const override { return sum[0] / sum[1]; }

 private:
  std::string name_;
  Signature signature_;
  int digits_;
};

/// The names of COMET and MetricX models in lists of metrics.
inline constexpr const char *kCometName = "comet", *kMetricXName = "metricx";
/// Returns the names of metrics that need a model, which make_metric() does not know.
const std::vector<std::string>& model_metric_names();
/// Whether a metric of this name needs a model.
bool needs_model(const std::string& metric);

/// Paths of the models of metrics; empty: none.
struct MetricModels {
  std::string comet, metricx;

  /// Returns the paths that are not empty, by the names of the metrics.
  std::map<std::string, std::string> given() const;
};

/// Digits of their scores beyond those of metrics from 0 to 100.
inline constexpr int kModelMetricDigits = 3;

/// Returns the names that make_metric() accepts.
std::vector<std::string> metric_names();

/// Whether smaller values of the metric of this name are better.
bool less_is_better(std::string_view metric);

/// Returns the metric of this name. Throws UsageError for an unknown name and for settings that the metric
/// rejects.
std::unique_ptr<Metric> make_metric(std::string_view name, const MetricSettings& settings = {});

/// Adds the counts of a segment to `sum`. An empty `sum` counts as zeros.
void add(Statistics& sum, const Statistics& counts);

/// Scores a corpus. `references[r][i]` is the r-th reference of `hypotheses[i]`; it may be empty. The
/// signature begins with the number of references. Throws Error if there are no hypotheses or references, or
/// if their numbers of segments differ.
Score corpus_score(const Metric& metric, const std::vector<std::string>& hypotheses,
                   const std::vector<std::vector<std::string>>& references);

}  // namespace nmt
