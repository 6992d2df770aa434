#include "translate/quality/comet_utility.h"

#include <vector>

namespace nmt {

std::vector<double> JudgedUtility::scores(std::string_view source, std::span<const std::string_view> texts,
                                          std::optional<std::string_view> reference) const {
  std::vector<JudgedTexts> judged;
  for (const std::string_view text : texts) judged.push_back({text, source, reference.value_or("")});
  const std::scoped_lock lock(guard_);
  std::vector<double> scores;
  for (const Judgment& judgment : metric().judge(judged, reference.has_value()))
    scores.push_back(judgment.score);
  return scores;
}

std::vector<double> JudgedUtility::given(std::string_view source, std::span<const std::string_view> texts,
                                         std::string_view reference) const {
  return scores(source, texts, reference);
}

std::vector<double> CometUtility::expected(std::string_view source, std::span<const std::string_view> texts,
                                           std::span<const double> weights) const {
  const std::scoped_lock lock(guard());
  return metric_->expected(source, texts, weights, exact_.value_or(texts.size()));
}

}  // namespace nmt
