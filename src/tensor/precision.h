// Precision: the element types of a computation, and how gradients stay in their range.
#pragma once

#include <cstdint>

#include "tensor/dtype.h"

namespace nmt {

/// How the scale of the loss, and of all gradients, changes; see CountUpdate. With equal bounds it is
/// constant.
struct LossScaling {
  double start = 1, least = 1, most = 1;
  std::int64_t interval = 2000;  // consecutive updates that count before it doubles

  constexpr bool is_dynamic() const { return least < most; }
  bool operator==(const LossScaling&) const = default;
};

/// Returns the loss scaling that a compute type needs. In f16, gradients of activations, many of them below
/// 2^-24, would vanish, so it uses the method of torch.amp.GradScaler, with bounds. All other types have at
/// least the exponent range of f32.
constexpr LossScaling loss_scaling_for(DType compute) {
  if (compute == DType::f16) return {.start = 0x1p16, .most = 0x1p32};
  return {};
}

/// The types for computing, for values that need to keep small changes, and for sums. Sums inside an
/// operation accumulate in `sum` or better.
struct Precision {
  DType compute = DType::f32;  // activations and their gradients
  DType weights = compute;     // matrices of weights that operations read: i8 for inference only
  DType master = DType::f32;   // weights that are updated, their gradients, moments, averages; all vectors
  DType sum = DType::f32;      // statistics of rows, losses, probabilities
  LossScaling loss_scaling = loss_scaling_for(compute);

  bool operator==(const Precision&) const = default;
};

/// Uses one type for everything.
constexpr Precision all_in(DType dtype) {
  return {.compute = dtype, .master = dtype, .sum = dtype};
}

/// Computes in `dtype`, keeps everything else in f32.
constexpr Precision compute_in(DType dtype) {
  return {.compute = dtype};
}

}  // namespace nmt
