// Continuations of hypotheses, as ranked by a search.
#pragma once

#include <cstdint>

#include "tensor/tensor.h"

namespace nmt {

/// A hypothesis and a token that may follow it. The host reads a ranking as f64 elements of a tensor, in this
/// order.
struct Continuation {
  double total = 0;  // summed log-probability including the token; minus infinity: none
  double row = 0;    // of the hypothesis among those of its sentence
  double token = -1;
};
inline constexpr std::int64_t kContinuation = sizeof(Continuation) / sizeof(double);

/// Return the ranking of a sentence in a tensor of host memory, and the number of its continuations.
inline Continuation* continuations_in(const Tensor& ranking, std::int64_t sentence) {
  return reinterpret_cast<Continuation*>(ranking.row<double>(sentence));
}
inline std::int64_t continuations_each(const Tensor& ranking) {
  return ranking.columns() / kContinuation;
}

}  // namespace nmt
