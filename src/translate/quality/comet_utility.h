// Utilities by COMET models.
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
  std::vector<double> given(std::string_view source, std::span<const std::string_view> texts,
                            std::string_view reference) const override;

 protected:
  /// Returns the scores of texts with this reference, or without one.
  std::vector<double> scores(std::string_view source, std::span<const std::string_view> texts,
                             std::optional<std::string_view> reference) const;
  /// Returns what protects the network.
  std::mutex& guard() const { return guard_; }

 private:
  virtual const QualityMetric& metric() const = 0;

  mutable std::mutex guard_;
};

/// The expected score by a COMET model that compares vectors (CometMetric::compares_vectors()).
class CometUtility final : public JudgedUtility {
 public:
  /// `exact`: see CometMetric::expected(); none: all are exact.
  CometUtility(std::shared_ptr<const CometMetric> metric, std::optional<std::size_t> exact)
      : metric_(std::move(metric)), exact_(exact) {}

  std::vector<double> expected(std::string_view source, std::span<const std::string_view> texts,
                               std::span<const double> weights) const override;

 private:
  const QualityMetric& metric() const override { return *metric_; }

  std::shared_ptr<const CometMetric> metric_;
  std::optional<std::size_t> exact_;
};

/// The quality of each text alone, by a metric that does not need references.
class EstimatedQuality final : public JudgedUtility {
 public:
  explicit EstimatedQuality(std::shared_ptr<const QualityMetric> metric) : metric_(std::move(metric)) {}

  std::vector<double> expected(std::string_view source, std::span<const std::string_view> texts,
                               std::span<const double> /*weights*/) const override {
    return scores(source, texts, std::nullopt);
  }

 private:
  const QualityMetric& metric() const override { return *metric_; }

  std::shared_ptr<const QualityMetric> metric_;
};

}  // namespace nmt
