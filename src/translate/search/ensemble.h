// Models that search and score together.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "nn/files/saved_model.h"

namespace nmt {

/// A model that takes part.
struct Member {
  const Model* model = nullptr;
  SpecialTokens special_tokens;
  double weight = 1;  // above 0
};

/// Models of which the mean of their log-probabilities of a next token counts, by their weights. At least
/// one; the same ids stand for the same tokens in all of them.
using Ensemble = std::vector<Member>;

/// The ensemble of these models, which must outlive it; `weights`: one of each, or none where all are equal.
inline Ensemble ensemble_of(const std::vector<const SavedModel*>& models,
                            const std::vector<double>& weights = {}) {
  Ensemble ensemble;
  for (std::size_t m = 0; m < models.size(); ++m)
    ensemble.push_back({models[m]->model.get(), models[m]->special_tokens, weights.empty() ? 1 : weights[m]});
  return ensemble;
}

/// The weights of members as multiples of the first one's: where all are equal, each is just 1.
inline std::vector<double> relative_weights(const Ensemble& ensemble) {
  std::vector<double> weights;
  weights.reserve(ensemble.size());
  for (const Member& member : ensemble) weights.push_back(member.weight / ensemble[0].weight);
  return weights;
}

/// The longest sequence that all members take, special tokens included, when there is a limit.
inline std::optional<std::int64_t> max_positions(const Ensemble& ensemble) {
  std::optional<std::int64_t> least;
  for (const Member& member : ensemble) {
    const auto positions = member.model->max_positions();
    if (positions) least = std::min(*positions, least.value_or(*positions));
  }
  return least;
}

}  // namespace nmt
