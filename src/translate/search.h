// Search over a batch of sentences with a model.
#pragma once

#include <functional>
#include <vector>

#include "translate/beam.h"
#include "translate/ensemble.h"

namespace nmt {

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
