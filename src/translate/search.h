// Search over a batch of sentences with a model.
#pragma once

#include <functional>
#include <vector>

#include "nn/model.h"
#include "translate/beam.h"

namespace nmt {

/// A model that takes part in a search.
struct Member {
  const Model* model = nullptr;
  Marks marks;
};

/// Models that search together: of a next token, the mean of their log-probabilities counts. At least one;
/// the same ids stand for the same tokens in all of them.
using Ensemble = std::vector<Member>;

/// Translates the source sides of `examples` together: for each the n best hypotheses. The result for a
/// sentence does not depend on the others. Sentences that are done leave the batch. Memory comes from `arena`
/// on `backend`. `before_step` is called before each step, and may throw to end the search. Throws Error when
/// a model computes NaN.
std::vector<std::vector<Hypothesis>> search(
    const Ensemble& ensemble, Backend& backend, Arena& arena, const std::vector<Example>& examples,
    const SearchSettings& settings, const std::function<void()>& before_step = [] {});

/// The same with one model.
inline std::vector<std::vector<Hypothesis>> search(const Model& model, Backend& backend, Arena& arena,
                                                   const std::vector<Example>& examples, const Marks& marks,
                                                   const SearchSettings& settings) {
  return search(Ensemble{{&model, marks}}, backend, arena, examples, settings);
}

}  // namespace nmt
