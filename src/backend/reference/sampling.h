// Draws of tokens, in double precision.
#pragma once

#include <cstdint>
#include <vector>

#include "tensor/operations/output.h"

namespace nmt {

/// What the largest of decide which of these ids row r draws from their logits: minus infinity for those that
/// are not left by its filters.
std::vector<double> perturbed(const Sampling& sampling, std::int64_t r, const std::vector<double>& logits,
                              const std::vector<std::int32_t>& ids);

}  // namespace nmt
