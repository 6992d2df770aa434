// An update of the parameters, from the losses of a batch to Adam and the average.
#pragma once

#include <array>
#include <cstdint>

#include "tensor/precision.h"
#include "tensor/step_statistics.h"
#include "tensor/tensor.h"

namespace nmt {

/// Begins the update after those that count: loss, nll and squared_norm := 0, random[1] := its number,
/// updates + 1, gradient_scale := next_scale, and scale[0] := gradient_scale / tokens, by which the gradient
/// of each token's loss counts.
struct BeginUpdate {
  Tensor statistics;        // f64 [1, kStepStatistics], as in all that follows: see StepStatistics
  std::int64_t tokens = 0;  // target tokens of the update, EOS included
  Tensor random;            // i32 [1, 2]: seed and step (see Dropout)
  Tensor scale;             // sum [1, 1]
};

/// statistics.loss += the sum of loss, statistics.nll += that of nll, each summed in f64 in a fixed order.
struct SumLosses {
  Tensor loss, nll;  // sum [1, rows]
  Tensor statistics;
};

/// out[0] += the sum of squares of x, accumulated in f64.
struct SquaredNorm {
  Tensor x;    // contiguous
  Tensor out;  // f64 [1, 1]
};

/// Decides whether an update counts: finite := whether loss and squared_norm are, updates += finite. And
/// rate := rates[n - first] for the update of number n, which the host does not know before it has read
/// whether the one before counted. And next_scale := gradient_scale, halved when the update does not count,
/// doubled when it is the last of `interval` in a row that do since the scale changed, but kept between
/// `least` and `most` (the rule of torch.amp.GradScaler, with bounds).
struct CountUpdate {
  Tensor statistics;
  std::int64_t first = 1;            // the number of the update that rates[0] is for; from 1
  std::array<double, 2> rates = {};  // of that one and the next
  LossScaling scaling;
};

/// Adam (Kingma and Ba, 2015, algorithm 1) with decoupled weight decay (Loshchilov and Hutter, 2019, as in
/// torch.optim.AdamW) over one flat buffer, after CountUpdate; with its statistics, t = updates, s =
/// gradient_scale:
///   g = gradient / s * min(1, clip_norm / (sqrt(squared_norm) / s + 1e-6))   (clip_norm 0: g = gradient / s)
///   m = beta1 m + (1 - beta1) g;  v = beta2 v + (1 - beta2) g^2
///   step = rate / (1 - beta1^t) * m / (sqrt(v) / sqrt(1 - beta2^t) + epsilon)
///   parameter -= rate * weight_decay * parameter + step
///   compute_copy = parameter, rounded (where there is one)
/// Decay and step are added up before they are taken off the parameter: the decay alone may be less than half
/// a rounding of it. Nothing changes when the update does not count.
struct Adam {
  Tensor parameter, gradient, first_moment, second_moment;  // master [1, n]
  Tensor compute_copy;                                      // [1, n], or empty
  Tensor statistics;
  double beta1 = 0.9, beta2 = 0.98, epsilon = 1e-9, weight_decay = 0, clip_norm = 0;
};

/// average := d average + (1 - d) x over one flat buffer, d = min(decay, (1 + updates) / (10 + updates)), so
/// that what it began with is soon forgotten. Nothing changes when the update does not count.
struct MovingAverage {
  Tensor average, x;  // [1, n]
  Tensor statistics;
  double decay = 0;
};

}  // namespace nmt
