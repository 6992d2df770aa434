// An update of the parameters, from the losses of a batch to Adam and the moving average, and its
// statistics.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "tensor/dtype.h"
#include "tensor/tensor.h"

namespace nmt {

/// The factor of the loss of an update.
struct LossScale {
  double value = 1;
  double updates = 0;  // consecutive updates that counted since it changed
};

/// The results of an update, with which the next update begins: the f64 elements of a tensor, in this order.
/// Operations read and write them in device memory, so that no operation waits for the host.
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

/// Begins the next update. Sets loss, nll and squared_norm := 0, random[1] := updates + 1 (the number of the
/// update), and gradient_scale := next_scale. Sets scale[0] := gradient_scale / tokens, the factor of the
/// gradient of each token's loss.
struct BeginUpdate {
  Tensor statistics;        // f64 [1, kStepStatistics], as in all structs below: see StepStatistics
  std::int64_t tokens = 0;  // target tokens of the update, EOS included
  Tensor random;            // i32 [1, 2]: seed and step (see Dropout)
  Tensor scale;             // sum [1, 1]
};

/// Computes statistics.loss += the sum of loss, statistics.nll += the sum of nll, each summed in f64 in a
/// fixed order.
struct SumLosses {
  Tensor loss, nll;  // sum [1, rows]
  Tensor statistics;
};

/// Computes out[0] += the sum of squares of x, accumulated in f64.
struct SquaredNorm {
  Tensor x;    // contiguous
  Tensor out;  // f64 [1, 1]
};

/// Decides whether an update counts: finite := whether loss and squared_norm are finite, updates += finite.
/// Sets rate := rates[n - first] for update number n, which the host does not know until it has read whether
/// the previous update counted. Sets next_scale := gradient_scale, halved if the update does not count, and
/// doubled after `interval` consecutive updates that count since the scale changed. next_scale stays between
/// `least` and `most` (the rule of torch.amp.GradScaler, with bounds).
struct CountUpdate {
  Tensor statistics;
  std::int64_t first = 1;            // number of the update for which rates[0] is meant, counted from 1
  std::array<double, 2> rates = {};  // of that update and the next
  LossScaling scaling;
};

/// Adam (Kingma and Ba, 2015, algorithm 1) with decoupled weight decay (Loshchilov and Hutter, 2019, as in
/// torch.optim.AdamW) over one flat buffer, after CountUpdate. With its statistics, t = updates, s =
/// gradient_scale:
///   g = gradient / s * min(1, clip_norm / (sqrt(squared_norm) / s + 1e-6))   (clip_norm 0: g = gradient / s)
///   m = beta1 m + (1 - beta1) g;  v = beta2 v + (1 - beta2) g^2
///   step = rate / (1 - beta1^t) * m / (sqrt(v) / sqrt(1 - beta2^t) + epsilon)
///   parameter -= rate * weight_decay * parameter + step
///   compute_copy = parameter, rounded (if there is one)
/// Decay and step are added before they are subtracted from the parameter, because the decay alone may round
/// to nothing. Nothing changes if the update does not count.
struct Adam {
  Tensor parameter, gradient, first_moment, second_moment;  // master [1, n]
  Tensor compute_copy;                                      // [1, n], or empty
  Tensor statistics;
  double beta1 = 0.9, beta2 = 0.98, epsilon = 1e-9, weight_decay = 0, clip_norm = 0;
};

/// Computes average := d average + (1 - d) x over one flat buffer, d = min(decay, (1 + updates) / (10 +
/// updates)), so that the influence of the initial value soon fades. Nothing changes if the update does not
/// count.
struct MovingAverage {
  Tensor average, x;  // [1, n]
  Tensor statistics;
  double decay = 0;
};

}  // namespace nmt
