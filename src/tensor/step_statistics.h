// The statistics of a training step.
#pragma once

#include <cstddef>
#include <cstdint>

#include "tensor/tensor.h"

namespace nmt {

/// The factor of the loss of an update.
struct LossScale {
  double value = 1;
  double updates = 0;  // consecutive updates that counted since it changed
};

/// The results of an update, with which the next one begins. They live in device memory, where operations
/// read and write them, so that no operation waits for the host: the f64 elements of a tensor, in this order.
struct StepStatistics {
  double loss = 0, nll = 0;   // sums over its target tokens: with and without label smoothing
  double squared_norm = 0;    // of the gradients, including their scale
  double finite = 1;          // 1: the update counts; 0: loss or norm are not finite, nothing changes
  double updates = 0;         // number of updates that count so far
  double rate = 0;            // learning rate
  double gradient_scale = 1;  // factor of the gradients, which keeps small ones in range
  LossScale next_scale;       // scale of the next update, and its history

  /// Whether the update does not count because of overflow, and the next one has a lower scale.
  bool overflowed() const { return finite == 0 && next_scale.value < gradient_scale; }
};
inline constexpr std::int64_t kStepStatistics = sizeof(StepStatistics) / sizeof(double);

/// Returns the statistics in a tensor of host memory.
inline StepStatistics& statistics_in(const Tensor& tensor) {
  return *reinterpret_cast<StepStatistics*>(tensor.data<double>());
}

/// Returns the slice of loss, nll and squared_norm, which are summed over all ranks: f64 [1, 3].
inline Tensor sums_in(const Tensor& statistics) {
  return statistics.slice_columns(offsetof(StepStatistics, loss) / sizeof(double), 3);
}

/// Returns the slice of squared_norm: f64 [1, 1].
inline Tensor squared_norm_in(const Tensor& statistics) {
  return statistics.slice_columns(offsetof(StepStatistics, squared_norm) / sizeof(double), 1);
}

}  // namespace nmt
