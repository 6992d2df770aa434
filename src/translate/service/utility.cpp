#include "translate/service/utility.h"

#include <fmt/ranges.h>

#include <algorithm>

#include "common/error.h"

namespace nmt {

std::vector<double> MetricUtility::expected(std::string_view /*source*/,
                                            std::span<const std::string_view> texts,
                                            std::span<const double> weights) const {
  const std::vector<double> pairs = metric_->pairwise(texts);
  std::vector<double> utilities;
  for (std::size_t i = 0; i < texts.size(); ++i) {
    double expected = 0;
    for (std::size_t j = 0; j < texts.size(); ++j) expected += weights[j] * pairs[i * texts.size() + j];
    utilities.push_back(expected);
  }
  return utilities;
}

std::vector<std::vector<double>> MetricUtility::given(std::span<const CandidateTexts> sentences,
                                                      const Check& check) const {
  std::vector<std::vector<double>> utilities;
  for (const auto& [source, reference, texts] : sentences) {
    if (check) check();
    std::vector<double>& own = utilities.emplace_back();
    for (const std::string_view text : texts)
      own.push_back(metric_->value(metric_->segment(text, std::span(&reference, 1))));
  }
  return utilities;
}

std::vector<std::string> utility_names() {
  std::vector<std::string> names = metric_names();
  std::erase_if(names, [](const std::string& name) { return less_is_better(name); });
  return names;
}

std::unique_ptr<const Metric> utility_metric(const std::string& name) {
  if (std::ranges::count(utility_names(), name) == 0)
    throw UsageError("unknown utility '{}'; choose from {}", name, fmt::join(utility_names(), ", "));
  return make_metric(name, {.sentence = true});
}

std::shared_ptr<const Utility> metric_utility(const std::string& name) {
  return std::make_shared<MetricUtility>(utility_metric(name));
}

}  // namespace nmt
