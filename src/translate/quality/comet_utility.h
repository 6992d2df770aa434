// Utilities by metrics that judge with a network.
#pragma once

#include <cstddef>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "translate/quality/comet_metric.h"
#include "translate/service/utility.h"

namespace nmt {

/// Utilities by a metric that judges with a network, which one thread at a time uses.
class JudgedUtility : public Utility {
 public:
  double best() const override { return 1; }
  /// Each text is encoded once, if the metric encodes texts one by one.
  std::vector<std::vector<double>> given(std::span<const CandidateTexts> sentences,
                                         const Check& check = {}) const override;
  /// Whether the metric of this name compares texts with references here.
  bool compares_by(std::string_view metric) const { return with_references_ && metric_->is(metric); }

 protected:
  /// `with_references`: whether given() compares with the references.
  JudgedUtility(std::shared_ptr<const QualityMetric> metric, bool with_references)
      : metric_(std::move(metric)), with_references_(with_references) {}

  /// Returns the qualities of texts, which are all judged with references or all without.
  std::vector<double> scores(std::span<const JudgedTexts> texts, bool with_references,
                             const Check& check = {}) const;
  /// Returns what protects the network.
  std::mutex& guard() const { return guard_; }

 private:
  std::shared_ptr<const QualityMetric> metric_;
  bool with_references_;
  mutable std::mutex guard_;
};

/// The expected score by a COMET model that compares vectors (CometMetric::compares_vectors()).
class CometUtility final : public JudgedUtility {
 public:
  /// `exact`: see CometMetric::expected(); none: all are exact.
  CometUtility(const std::shared_ptr<const CometMetric>& metric, std::optional<std::size_t> exact)
      : JudgedUtility(metric, true), comet_(*metric), exact_(exact) {}

  std::vector<double> expected(std::string_view source, std::span<const std::string_view> texts,
                               std::span<const double> weights) const override;

 private:
  const CometMetric& comet_;
  std::optional<std::size_t> exact_;
};

/// The expected quality by any metric that reads references. Each text is judged with each other one.
class PairwiseUtility final : public JudgedUtility {
 public:
  explicit PairwiseUtility(std::shared_ptr<const QualityMetric> metric)
      : JudgedUtility(std::move(metric), true) {}

  std::vector<double> expected(std::string_view source, std::span<const std::string_view> texts,
                               std::span<const double> weights) const override;
};

/// The quality of each text alone, by a metric that does not need references.
class EstimatedQuality final : public JudgedUtility {
 public:
  explicit EstimatedQuality(std::shared_ptr<const QualityMetric> metric)
      : JudgedUtility(std::move(metric), false) {}

  std::vector<double> expected(std::string_view source, std::span<const std::string_view> texts,
                               std::span<const double> weights) const override;
};

}  // namespace nmt
