// Precision: the element types of a computation, and how gradients stay in their range.
#pragma once

#include <cstdint>

#include "tensor/dtype.h"

namespace nmt {

/// How the scale of the loss moves, and that of all gradients with it: see CountUpdate. Between equal bounds
/// it stays where it is.
struct LossScaling {
  double start = 1, least = 1, most = 1;
  std::int64_t interval = 2000;  // updates in a row that count before it doubles

  constexpr bool is_dynamic() const { return least < most; }
  bool operator==(const LossScaling&) const = default;
};

/// What a type takes. The gradients of activations, many of them below 2^-24, would vanish in f16; it has the
/// recipe of torch.amp.GradScaler, within bounds. All other types have the exponents of f32 or more.
constexpr LossScaling loss_scaling_for(DType compute) {
  if (compute == DType::f16) return {.start = 0x1p16, .most = 0x1p32};
  return {};
}

/// What is computed in, what has to keep small changes, and what sums are kept in. Sums inside an operation
/// accumulate in `sum` or better.
struct Precision {
  DType compute = DType::f32;  // activations and their gradients
  DType weights = compute;     // the matrices of weights that operations read: i8 for inference alone
  DType master = DType::f32;   // weights that are updated, their gradients, moments, averages; all vectors
  DType sum = DType::f32;      // statistics of rows, losses, probabilities
  LossScaling loss_scaling = loss_scaling_for(compute);

  bool operator==(const Precision&) const = default;
};

/// One type for everything.
constexpr Precision all_in(DType dtype) {
  return {.compute = dtype, .master = dtype, .sum = dtype};
}

/// Computes in `dtype`, keeps the rest in f32.
constexpr Precision compute_in(DType dtype) {
  return {.compute = dtype};
}

}  // namespace nmt
