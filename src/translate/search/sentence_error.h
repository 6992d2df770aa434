// Errors of one sentence, such as NaN in its log-probabilities.
#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

#include "common/error.h"

namespace nmt {

/// The failure of one sentence, which does not affect others.
class SentenceError : public Error {
 public:
  using Error::Error;
};

/// Returns the error for a model that computes NaN or infinity, for example because its weights are too
/// large.
inline SentenceError not_finite() {
  return SentenceError(
      "the model computed NaN: its weights are too large, or it is damaged; use another checkpoint");
}

/// Throws SentenceError when a log-probability is not finite.
inline void refuse_not_finite(const std::vector<double>& log_probabilities) {
  if (!std::ranges::all_of(log_probabilities, [](double value) { return std::isfinite(value); }))
    throw not_finite();
}

}  // namespace nmt
