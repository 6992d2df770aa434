// Utilities by COMET models.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>

#include "translate/quality/comet_metric.h"
#include "translate/service/utility.h"

namespace nmt {

/// Utilities by a COMET model that encodes texts apart and reads references. One thread at a time uses the
/// model.
class CometUtility final : public Utility {
 public:
  /// `metric` must stay valid. `exact`: see CometMetric::expected(). Throws Error if the model does not
  /// compare with references.
  CometUtility(std::shared_ptr<const CometMetric> metric, std::optional<std::size_t> exact);

  std::vector<double> expected(std::string_view source, std::span<const std::string_view> texts,
                               std::span<const double> weights) const override;
  std::vector<double> given(std::string_view source, std::span<const std::string_view> texts,
                            std::string_view reference) const override;

 private:
  std::shared_ptr<const CometMetric> metric_;
  std::optional<std::size_t> exact_;
  mutable std::mutex guard_;
};

/// The quality that a model estimates, without references unless there is one. One thread at a time uses the
/// model.
class EstimatedQuality final : public Utility {
 public:
  /// The metric must not need references.
  explicit EstimatedQuality(std::shared_ptr<const QualityMetric> metric);

  std::vector<double> expected(std::string_view source, std::span<const std::string_view> texts,
                               std::span<const double> weights) const override;
  std::vector<double> given(std::string_view source, std::span<const std::string_view> texts,
                            std::string_view reference) const override;

 private:
  std::shared_ptr<const QualityMetric> metric_;
  mutable std::mutex guard_;
};

}  // namespace nmt
