// The utility of candidate translations: how good they are, given other candidates or a reference.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "metrics/metric.h"

namespace nmt {

/// Candidate translations of a source, and a reference.
struct CandidateTexts {
  std::string_view source, reference;
  std::vector<std::string_view> texts;
};

class Utility {
 public:
  virtual ~Utility() = default;

  /// The utility of a perfect translation; for some metrics, only about that.
  virtual double best() const = 0;
  /// Returns the expected utility of each text over all texts as references, with these weights, whose sum is
  /// 1. All are translations of `source`. May be called on several threads at a time.
  virtual std::vector<double> expected(std::string_view source, std::span<const std::string_view> texts,
                                       std::span<const double> weights) const = 0;
  /// Returns the utility of each candidate with its reference, sentence by sentence. `check` is called now
  /// and then, on any thread, and may throw to end the work. May be called on several threads at a time.
  using Check = std::function<void()>;
  virtual std::vector<std::vector<double>> given(std::span<const CandidateTexts> sentences,
                                                 const Check& check = {}) const = 0;
};

/// The scores of a metric that compares texts. The source does not matter.
class MetricUtility final : public Utility {
 public:
  explicit MetricUtility(std::unique_ptr<const Metric> metric) : metric_(std::move(metric)) {}

  double best() const override { return 100; }
  std::vector<double> expected(std::string_view source, std::span<const std::string_view> texts,
                               std::span<const double> weights) const override;
  std::vector<std::vector<double>> given(std::span<const CandidateTexts> sentences,
                                         const Check& check = {}) const override;

 private:
  std::unique_ptr<const Metric> metric_;
};

/// Returns the names of metrics whose larger values are better.
std::vector<std::string> utility_names();
/// Returns the sentence-level metric of this name, with the scores of sacrebleu. Throws UsageError for other
/// names.
std::unique_ptr<const Metric> utility_metric(const std::string& name);
/// Returns the utility by utility_metric().
std::shared_ptr<const Utility> metric_utility(const std::string& name);

}  // namespace nmt
