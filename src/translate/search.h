// Search over a batch of sentences with a model.
#pragma once

#include <vector>

#include "nn/model.h"
#include "translate/beam.h"

namespace nmt {

/// Translates the source sides of `examples` together: for each the n best hypotheses. The result for a
/// sentence does not depend on the others. Sentences that are done leave the batch. Memory comes from `arena`
/// on `backend`.
std::vector<std::vector<Hypothesis>> search(const Model& model, Backend& backend, Arena& arena,
                                            const std::vector<Example>& examples, const Marks& marks,
                                            const SearchSettings& settings);

}  // namespace nmt
