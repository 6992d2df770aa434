#include "translate/quality/comet_utility.h"

#include <utility>
#include <vector>

namespace nmt {
namespace {

std::vector<double> scores_of(const QualityMetric& metric, std::string_view source,
                              std::span<const std::string_view> texts,
                              std::optional<std::string_view> reference) {
  std::vector<JudgedTexts> judged;
  for (const std::string_view text : texts) judged.push_back({text, source, reference.value_or("")});
  std::vector<double> scores;
  for (const Judgment& judgment : metric.judge(judged, reference.has_value()))
    scores.push_back(judgment.score);
  return scores;
}

}  // namespace

CometUtility::CometUtility(std::shared_ptr<const CometMetric> metric, std::optional<std::size_t> exact)
    : metric_(std::move(metric)), exact_(exact) {}

std::vector<double> CometUtility::expected(std::string_view source, std::span<const std::string_view> texts,
                                           std::span<const double> weights) const {
  const std::scoped_lock lock(guard_);
  return metric_->expected(source, texts, weights, exact_.value_or(texts.size()));
}

std::vector<double> CometUtility::given(std::string_view source, std::span<const std::string_view> texts,
                                        std::string_view reference) const {
  const std::scoped_lock lock(guard_);
  return scores_of(*metric_, source, texts, reference);
}

EstimatedQuality::EstimatedQuality(std::shared_ptr<const QualityMetric> metric)
    : metric_(std::move(metric)) {}

std::vector<double> EstimatedQuality::expected(std::string_view source,
                                               std::span<const std::string_view> texts,
                                               std::span<const double> /*weights*/) const {
  const std::scoped_lock lock(guard_);
  return scores_of(*metric_, source, texts, std::nullopt);
}

std::vector<double> EstimatedQuality::given(std::string_view source, std::span<const std::string_view> texts,
                                            std::string_view reference) const {
  const std::scoped_lock lock(guard_);
  return scores_of(*metric_, source, texts, reference);
}

}  // namespace nmt
