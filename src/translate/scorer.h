// Log-probabilities of given translations.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include "nn/model.h"

namespace nmt {

/// For each example the natural log-probability of each target token and of the end mark. Memory comes from
/// `arena`.
std::vector<std::vector<double>> score(const Model& model, Backend& backend, Arena& arena,
                                       const std::vector<Example>& examples, const Marks& marks);

/// The same for any number of examples, in batches of like length: the longer side of a batch's longest
/// example times its examples is at most `batch_tokens`, marks counted (see batches_by_length). `scored` is
/// told of so many examples more after each. Where an example takes more memory than there is, the result
/// ends before it.
std::vector<std::vector<double>> score_in_batches(const Model& model, Backend& backend, Arena& arena,
                                                  const std::vector<Example>& examples, const Marks& marks,
                                                  std::int64_t batch_tokens,
                                                  const std::function<void(std::size_t)>& scored = {});

}  // namespace nmt
