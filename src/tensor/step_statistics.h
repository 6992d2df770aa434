// The statistics of a training step.
#pragma once

#include <cstddef>
#include <cstdint>

#include "tensor/tensor.h"

namespace nmt {

/// What the loss of an update is multiplied by.
struct LossScale {
  double value = 1;
  double updates = 0;  // in a row that have counted since it changed
};

/// What an update finds out, and what the next one begins with. They live in device memory, where operations
/// leave and find them, so that no operation waits for the host: the f64 elements of a tensor, in this order.
struct StepStatistics {
  double loss = 0, nll = 0;   // sums over its target tokens: with label smoothing; without
  double squared_norm = 0;    // of the gradients as they stand
  double finite = 1;          // 1: it counts; 0: its loss or norm is not finite, so it changes nothing
  double updates = 0;         // that count so far
  double rate = 0;            // of learning
  double gradient_scale = 1;  // what the gradients are multiplied by, lest small ones vanish in narrow types
  LossScale next_scale;       // the same of the next update, and how it came to it

  /// Whether it does not count for want of range, and the next one has more: a lower scale.
  bool overflowed() const { return finite == 0 && next_scale.value < gradient_scale; }
};
inline constexpr std::int64_t kStepStatistics = sizeof(StepStatistics) / sizeof(double);

/// The statistics in a tensor of host memory.
inline StepStatistics& statistics_in(const Tensor& tensor) {
  return *reinterpret_cast<StepStatistics*>(tensor.data<double>());
}

/// The place of loss, nll and squared_norm among them, the sums over all ranks: f64 [1, 3].
inline Tensor sums_in(const Tensor& statistics) {
  return statistics.slice_columns(offsetof(StepStatistics, loss) / sizeof(double), 3);
}

/// The place of squared_norm among them: f64 [1, 1].
inline Tensor squared_norm_in(const Tensor& statistics) {
  return statistics.slice_columns(offsetof(StepStatistics, squared_norm) / sizeof(double), 1);
}

}  // namespace nmt
