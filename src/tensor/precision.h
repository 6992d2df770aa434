// Precision: the element types of a computation.
#pragma once

#include "tensor/dtype.h"

namespace nmt {

/// What is computed in, what has to keep small changes, and what sums are kept in. Sums inside an operation
/// accumulate in `sum` or better.
struct Precision {
  DType compute =
      DType::f32;  // activations, their gradients, and the matrices of weights that operations read
  DType master =
      DType::f32;  // weights that are updated, their gradients, moments and averages; vectors of weights
  DType sum = DType::f32;  // statistics of rows, losses, probabilities

  bool operator==(const Precision&) const = default;
};

/// One type for everything.
constexpr Precision all_in(DType dtype) {
  return {dtype, dtype, dtype};
}

/// Computes in `dtype`, keeps the rest in f32.
constexpr Precision compute_in(DType dtype) {
  return {.compute = dtype};
}

}  // namespace nmt
