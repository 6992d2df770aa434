// Models that search and score together.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "nn/files/saved_model.h"

namespace nmt {

/// A model that takes part.
struct Member {
  const Model* model = nullptr;
  SpecialTokens special_tokens;
  double weight = 1;                                          // above 0
  std::optional<std::int64_t> trained_length = std::nullopt;  // see SavedModel
};

/// Models of which the sum of their log-probabilities of a next token counts, each times its weight. At least
/// one, and the first one has a source if any has; the same ids stand for the same target tokens in all of
/// them, and all have the same direction. In a mean, weights add up to 1; the log-probabilities of a language
/// model are added to that of models that translate with any weight (shallow fusion; Gulcehre et al., 2015,
/// section 4.1).
using Ensemble = std::vector<Member>;

/// Divides the weights by their sum: the mean counts.
inline Ensemble mean_of(Ensemble ensemble) {
  double total = 0;
  for (const Member& member : ensemble) total += member.weight;
  for (Member& member : ensemble) member.weight /= total;
  return ensemble;
}

/// The ensemble of these models, which must outlive it: the mean of the models that translate, or where there
/// are none of all, and language models besides. `weights`: one of each, or none where all are equal.
inline Ensemble ensemble_of(const std::vector<const SavedModel*>& models,
                            const std::vector<double>& weights = {}) {
  Ensemble ensemble, beside;
  for (std::size_t m = 0; m < models.size(); ++m) {
    const Model* model = models[m]->model.get();
    const bool is_beside = model->has_source() != models[0]->model->has_source();
    (is_beside ? beside : ensemble)
        .push_back(
            {model, models[m]->special_tokens, weights.empty() ? 1 : weights[m], models[m]->trained_length});
  }
  ensemble = mean_of(std::move(ensemble));
  ensemble.insert(ensemble.end(), beside.begin(), beside.end());
  return ensemble;
}

/// Their weights.
inline std::vector<double> weights_of(const Ensemble& ensemble) {
  std::vector<double> weights;
  weights.reserve(ensemble.size());
  for (const Member& member : ensemble) weights.push_back(member.weight);
  return weights;
}

/// The lower of two limits, of which either may not be there.
inline std::optional<std::int64_t> lower_limit(std::optional<std::int64_t> a, std::optional<std::int64_t> b) {
  return a && b ? std::min(a, b) : std::max(a, b);
}

/// The longest sequence that all members take, special tokens included, when there is a limit.
inline std::optional<std::int64_t> max_positions(const Ensemble& ensemble) {
  std::optional<std::int64_t> least;
  for (const Member& member : ensemble) least = lower_limit(least, member.model->max_positions());
  return least;
}

/// The longest sentences that all members have been trained with, in tokens, where that is known.
inline std::optional<std::int64_t> trained_length(const Ensemble& ensemble) {
  std::optional<std::int64_t> least;
  for (const Member& member : ensemble) least = lower_limit(least, member.trained_length);
  return least;
}

}  // namespace nmt
