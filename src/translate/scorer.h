// Log-probabilities of given translations.
#pragma once

#include <vector>

#include "nn/model.h"

namespace nmt {

/// For each example the natural log-probability of each target token and of the end mark. Memory comes from
/// `arena`.
std::vector<std::vector<double>> score(const Model& model, Backend& backend, Arena& arena,
                                       const std::vector<Example>& examples, const Marks& marks);

}  // namespace nmt
