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

 protected:
  /// `with_references`: whether given() compares with the references.
  explicit JudgedUtility(bool with_references) : with_references_(with_references) {}

  /// Returns the qualities of texts, which are all judged with references or all without.
  std::vector<double> scores(std::span<const JudgedTexts> texts, bool with_references,
                             const Check& check = {}) const;
  /// Returns what protects the network.
  std::mutex& guard() const { return guard_; }

 private:
  virtual const QualityMetric& metric() const = 0;

  bool with_references_;
  mutable std::mutex guard_;
};

/// The expected score by a COMET model that compares vectors (CometMetric::compares_vectors()).
class CometUtility final : public JudgedUtility {
 public:
  /// `exact`: see CometMetric::expected(); none: all are exact.
  CometUtility(std::shared_ptr<const CometMetric> metric, std::optional<std::size_t> exact)
      : JudgedUtility(true), metric_(std::move(metric)), exact_(exact) {}

  std::vector<double> expected(std::string_view source, std::span<const std::string_view> texts,
                               std::span<const double> weights) const override;

 private:
  const QualityMetric& metric() const override { return *metric_; }

  std::shared_ptr<const CometMetric> metric_;
  std::optional<std::size_t> exact_;
};

/// The expected quality by any metric that reads references. Each text is judged with each other one.
class PairwiseUtility final : public JudgedUtility {
 public:
  explicit PairwiseUtility(std::shared_ptr<const QualityMetric> metric)
      : JudgedUtility(true), metric_(std::move(metric)) {}

  std::vector<double> expected(std::string_view source, std::span<const std::string_view> texts,
                               std::span<const double> weights) const override;

 private:
  const QualityMetric& metric() const override { return *metric_; }

  std::shared_ptr<const QualityMetric> metric_;
};

/// The quality of each text alone, by a metric that does not need references.
class EstimatedQuality final : public JudgedUtility {
 public:
  explicit EstimatedQuality(std::shared_ptr<const QualityMetric> metric)
      : JudgedUtility(false), metric_(std::move(metric)) {}

  std::vector<double> expected(std::string_view source, std::span<const std::string_view> texts,
                               std::span<const double> weights) const override;

 private:
  const QualityMetric& metric() const override { return *metric_; }

  std::shared_ptr<const QualityMetric> metric_;
};

}  // namespace nmt
