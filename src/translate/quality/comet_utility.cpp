#include "translate/quality/comet_utility.h"

#include <vector>

namespace nmt {

std::vector<double> JudgedUtility::scores(std::span<const JudgedTexts> texts, bool with_references,
                                          const Check& check) const {
  QualityMetric::Done done;
  if (check) done = [&check](std::size_t) { check(); };
  const std::scoped_lock lock(guard_);
  return metric_->qualities(texts, with_references, done);
}

std::vector<std::vector<double>> JudgedUtility::given(std::span<const CandidateTexts> sentences,
                                                      const Check& check) const {
  std::vector<JudgedTexts> texts;
  for (const auto& [source, reference, candidates] : sentences) {
    for (const std::string_view text : candidates) texts.push_back({text, source, reference});
  }
  const std::vector<double> all = scores(texts, with_references_, check);
  std::vector<std::vector<double>> utilities;
  auto next = all.begin();
  for (const CandidateTexts& sentence : sentences) {
    const auto begin = next;
    next += std::ssize(sentence.texts);
    utilities.emplace_back(begin, next);
  }
  return utilities;
}

std::vector<double> CometUtility::expected(std::string_view source, std::span<const std::string_view> texts,
                                           std::span<const double> weights) const {
  const std::scoped_lock lock(guard());
  return comet_.expected(source, texts, weights, exact_.value_or(texts.size()));
}

std::vector<double> PairwiseUtility::expected(std::string_view source,
                                              std::span<const std::string_view> texts,
                                              std::span<const double> weights) const {
  std::vector<JudgedTexts> pairs;
  for (const std::string_view text : texts) {
    for (const std::string_view reference : texts) pairs.push_back({text, source, reference});
  }
  const std::vector<double> all = scores(pairs, true);
  std::vector<double> utilities(texts.size());
  for (std::size_t i = 0; i < all.size(); ++i)
    utilities[i / texts.size()] += weights[i % texts.size()] * all[i];
  return utilities;
}

std::vector<double> EstimatedQuality::expected(std::string_view source,
                                               std::span<const std::string_view> texts,
                                               std::span<const double> /*weights*/) const {
  std::vector<JudgedTexts> judged;
  for (const std::string_view text : texts) judged.push_back({text, source, {}});
  return scores(judged, false);
}

}  // namespace nmt
