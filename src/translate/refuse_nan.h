// What models compute must be numbers.
#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

#include "common/error.h"

namespace nmt {

/// Throws Error when a log-probability is NaN, as with weights that are too large.
inline void refuse_nan(const std::vector<double>& log_probabilities) {
  if (std::ranges::none_of(log_probabilities, [](double value) { return std::isnan(value); })) return;
  throw Error("the model computes NaN: its weights are too large, or it is damaged; use another checkpoint");
}

}  // namespace nmt
