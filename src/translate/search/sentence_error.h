// What is wrong with one sentence, such as that models compute what is no number for it.
#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

#include "common/error.h"

namespace nmt {

/// A failure of one sentence, which leaves others alone.
class SentenceError : public Error {
 public:
  using Error::Error;
};

/// Tells that a model computes NaN or infinity, as with weights that are too large.
inline SentenceError not_finite() {
  return SentenceError(
      "the model computes what is no number: its weights are too large, or it is damaged; use another "
      "checkpoint");
}

/// Throws SentenceError when a log-probability is not finite.
inline void refuse_not_finite(const std::vector<double>& log_probabilities) {
  if (!std::ranges::all_of(log_probabilities, [](double value) { return std::isfinite(value); }))
    throw not_finite();
}

}  // namespace nmt
