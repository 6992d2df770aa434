// What models compute must be numbers.
#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

#include "common/error.h"

namespace nmt {

/// Tells that a model computes NaN or infinity, as with weights that are too large.
inline Error not_finite() {
  return Error(
      "the model computes what is no number: its weights are too large, or it is damaged; use another "
      "checkpoint");
}

/// Throws Error when a log-probability is not finite.
inline void refuse_not_finite(const std::vector<double>& log_probabilities) {
  if (!std::ranges::all_of(log_probabilities, [](double value) { return std::isfinite(value); }))
    throw not_finite();
}

}  // namespace nmt
