#include "translate/search/token_choices.h"

#include <algorithm>
#include <array>
#include <memory>
#include <optional>
#include <utility>

#include "translate/search/setting_table.h"

namespace nmt {
namespace {

/// Calls use(sentence, hypothesis) for each of these rows; for padding as for the last hypothesis, so that
/// padding makes no difference where all hypotheses are alike.
template <class Use>
void for_each_row(const std::vector<Sentence>& sentences, std::int64_t rows, const Use& use) {
  std::int64_t own = 0;
  for (const Sentence& sentence : sentences) {
    own += sentence.rows;
    for (std::int32_t hypothesis = 0; hypothesis < sentence.rows; ++hypothesis) use(sentence, hypothesis);
  }
  for (; own < rows; ++own) use(sentences.back(), sentences.back().rows - 1);
}

template <class Has>
bool any(const std::vector<Sentence>& sentences, const Has& has) {
  return std::ranges::any_of(sentences,
                             [&](const Sentence& sentence) { return has(*sentence.request.settings); });
}

std::array<double, Sampling::kFilters> filters_of(const Sentence& sentence) {
  const std::optional<SamplingSettings>& sampling = sentence.request.settings->sampling;
  if (!sampling) return {};
  if (sampling->temperature < kLeastTemperature) return {1, 1, 1, 0, 0, 1};  // the most probable token
  return {sampling->temperature,
          static_cast<double>(sampling->top_k),
          sampling->top_p,
          sampling->min_p,
          sampling->epsilon,
          sampling->without_replacement ? static_cast<double>(sentence.strategy->choices()) : 1.0};
}

std::array<std::int32_t, Sampling::kKeys> key_of(const Sentence& sentence, std::int32_t hypothesis) {
  const std::optional<SamplingSettings>& sampling = sentence.request.settings->sampling;
  if (!sampling) return {};
  return sampling->key(sentence.request.line, sentence.strategy->sample(hypothesis));
}

}  // namespace

TokenChoice TokenChoices::of(const std::vector<Sentence>& sentences, const Tensor& position,
                             std::int64_t vocabulary) {
  const std::int64_t rows = position.columns();
  std::vector<TokenConstraint> masked, removed;
  for_each_row(sentences, rows, [&](const Sentence& sentence, std::int32_t hypothesis) {
    const TokenConstraint constraint = sentence.strategy->constraint(hypothesis);
    masked.push_back(constraint.is_renormalized ? TokenConstraint() : constraint);
    removed.push_back(constraint.is_renormalized ? constraint : TokenConstraint());
  });
  return {.candidates = {},
          .masks = masks_.masks(masked, vocabulary),
          .removed = removed_.masks(removed, vocabulary),
          .penalty = penalty_of(sentences, rows),
          .sampling = sampling_of(sentences, position)};
}

TokenChoice TokenChoices::wanted(const std::vector<Sentence>& sentences, TokenChoice usual,
                                 const Tensor& position, std::int64_t vocabulary) {
  const std::int64_t rows = position.columns();
  const auto none = std::make_shared<const std::vector<std::int32_t>>();
  std::vector<TokenConstraint> among;
  for_each_row(sentences, rows, [&](const Sentence& sentence, std::int32_t hypothesis) {
    std::vector<std::int32_t> tokens = sentence.strategy->wanted(hypothesis);
    among.push_back({.among = tokens.empty()
                                  ? none
                                  : std::make_shared<const std::vector<std::int32_t>>(std::move(tokens))});
  });
  usual.masks = wanted_.masks(among, vocabulary);
  usual.sampling = {};
  return usual;
}

RepetitionPenalty TokenChoices::penalty_of(const std::vector<Sentence>& sentences, std::int64_t rows) {
  if (!any(sentences, [](const SearchSettings& settings) { return settings.repetition_penalty != 1; }))
    return {};
  std::vector<std::vector<std::int32_t>> repeated;
  std::vector<double> factors;
  std::size_t longest = 1;
  for_each_row(sentences, rows, [&](const Sentence& sentence, std::int32_t hypothesis) {
    repeated.push_back(sentence.strategy->repeated(hypothesis));
    factors.push_back(sentence.request.settings->repetition_penalty);
    longest = std::max(longest, repeated.back().size());
  });
  std::vector<std::int32_t> ids;
  for (std::vector<std::int32_t>& of_row : repeated) {
    of_row.resize(longest, -1);
    ids.insert(ids.end(), of_row.begin(), of_row.end());
  }
  const RepetitionPenalty penalty{g_.allocate(rows, static_cast<std::int64_t>(longest), DType::i32),
                                  g_.allocate(1, rows, DType::f64)};
  g_.backend().upload(penalty.ids, ids.data());
  g_.backend().upload(penalty.factor, factors.data());
  return penalty;
}

Sampling TokenChoices::sampling_of(const std::vector<Sentence>& sentences, const Tensor& position) {
  if (!any(sentences, [](const SearchSettings& settings) { return settings.sampling.has_value(); }))
    return {};
  const std::int64_t rows = position.columns();
  std::vector<double> filters;
  std::vector<std::int32_t> keys;
  for_each_row(sentences, rows, [&](const Sentence& sentence, std::int32_t hypothesis) {
    const auto of_row = filters_of(sentence);
    const auto key = key_of(sentence, hypothesis);
    filters.insert(filters.end(), of_row.begin(), of_row.end());
    keys.insert(keys.end(), key.begin(), key.end());
  });
  if (filters != filters_) {
    sampling_.filters = filters_on_device_.tensor(rows, Sampling::kFilters, DType::f64);
    g_.backend().upload(sampling_.filters, filters.data());
    filters_ = std::move(filters);
  }
  if (keys != keys_) {
    sampling_.key = keys_on_device_.tensor(rows, Sampling::kKeys, DType::i32);
    g_.backend().upload(sampling_.key, keys.data());
    keys_ = std::move(keys);
  }
  sampling_.position = position;
  return sampling_;
}

}  // namespace nmt
