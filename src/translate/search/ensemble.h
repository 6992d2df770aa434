// Ensembles: several models that search and score together.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "nn/saved/saved_model.h"

namespace nmt {

/// A model of an ensemble.
struct Member {
  const Model* model = nullptr;
  SpecialTokens special_tokens;
  double weight = 1;                                          // above 0
  std::optional<std::int64_t> trained_length = std::nullopt;  // see SavedModel
};

/// Models whose log-probabilities of the next token are added up, each times its weight. There is at least
/// one model. If any model has a source, the first one has. All models have the same target token ids and the
/// same direction. In a mean, the weights sum to 1. The log-probabilities of a language model are added with
/// any weight to those of translation models (shallow fusion; Gulcehre et al., 2015, section 4.1).
using Ensemble = std::vector<Member>;

/// Divides the weights by their sum, so that the ensemble computes a mean.
inline Ensemble mean_of(Ensemble ensemble) {
  double total = 0;
  for (const Member& member : ensemble) total += member.weight;
  for (Member& member : ensemble) member.weight /= total;
  return ensemble;
}

/// Makes the ensemble of these models, which must outlive it: the mean of the translation models, plus the
/// weighted language models. If there is no translation model, makes the mean of the language models.
/// `weights` has one weight for each model, or is empty if all are equal.
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

/// Returns the weights of the members.
inline std::vector<double> weights_of(const Ensemble& ensemble) {
  std::vector<double> weights;
  weights.reserve(ensemble.size());
  for (const Member& member : ensemble) weights.push_back(member.weight);
  return weights;
}

/// Returns the lower of two optional limits.
inline std::optional<std::int64_t> lower_limit(std::optional<std::int64_t> a, std::optional<std::int64_t> b) {
  return a && b ? std::min(a, b) : std::max(a, b);
}

/// Returns the maximum length that all members accept, including special tokens; nothing if there is no
/// limit.
inline std::optional<std::int64_t> max_positions(const Ensemble& ensemble) {
  std::optional<std::int64_t> least;
  for (const Member& member : ensemble) least = lower_limit(least, member.model->max_positions());
  return least;
}

/// Returns the length, in tokens, of the longest sentences that all members were trained with, if it is
/// known.
inline std::optional<std::int64_t> trained_length(const Ensemble& ensemble) {
  std::optional<std::int64_t> least;
  for (const Member& member : ensemble) least = lower_limit(least, member.trained_length);
  return least;
}

}  // namespace nmt
