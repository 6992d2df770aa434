// Continuations of hypotheses, as a search ranks them.
#pragma once

#include <cstdint>

#include "tensor/tensor.h"

namespace nmt {

/// A hypothesis and a token that may follow it. The host reads a ranking of them as the f64 elements of a
/// tensor, in this order.
struct Continuation {
  double total = 0;  // summed log-probability with the token; minus infinity: there is none
  double row = 0;    // of the hypothesis among those of its sentence
  double token = -1;
};
inline constexpr std::int64_t kContinuation = sizeof(Continuation) / sizeof(double);

/// The ranking of a sentence in a tensor of host memory, and how many continuations there are.
inline Continuation* continuations_in(const Tensor& ranking, std::int64_t sentence) {
  return reinterpret_cast<Continuation*>(ranking.row<double>(sentence));
}
inline std::int64_t continuations_each(const Tensor& ranking) {
  return ranking.columns() / kContinuation;
}

}  // namespace nmt
