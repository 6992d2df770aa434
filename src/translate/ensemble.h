// Models that search and score together.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <vector>

#include "nn/saved_model.h"

namespace nmt {

/// A model that takes part.
struct Member {
  const Model* model = nullptr;
  Marks marks;
};

/// Models of which the mean of their log-probabilities of a next token counts. At least one; the same ids
/// stand for the same tokens in all of them.
using Ensemble = std::vector<Member>;

/// The ensemble of these models, which must outlive it.
inline Ensemble ensemble_of(const std::vector<const SavedModel*>& models) {
  Ensemble ensemble;
  for (const SavedModel* saved : models) ensemble.push_back({saved->model.get(), saved->marks});
  return ensemble;
}

/// The longest sequence that all members take, marks included, when there is a limit.
inline std::optional<std::int64_t> max_positions(const Ensemble& ensemble) {
  std::optional<std::int64_t> least;
  for (const Member& member : ensemble) {
    const auto positions = member.model->max_positions();
    if (positions) least = std::min(*positions, least.value_or(*positions));
  }
  return least;
}

}  // namespace nmt
