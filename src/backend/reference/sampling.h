// Sampling of tokens, in double precision.
#pragma once

#include <cstdint>
#include <vector>

#include "tensor/operations/output.h"

namespace nmt {

/// Returns the perturbed logits of ids of row r, the largest of which are the samples: minus infinity for
/// those removed by its filters.
std::vector<double> perturbed(const Sampling& sampling, std::int64_t r, const std::vector<double>& logits,
                              const std::vector<std::int32_t>& ids);

}  // namespace nmt
