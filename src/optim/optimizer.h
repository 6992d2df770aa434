// Adam over all parameters of a model at once.
#pragma once

#include <cstdint>

#include "nn/parameters.h"

namespace nmt {

struct AdamSettings {
  double beta1 = 0.9, beta2 = 0.98, epsilon = 1e-9;  // the paper's, 5.3
  double clip_norm = 0;                              // 0: no clipping
};

class AdamOptimizer {
 public:
  /// Holds two moments for each parameter; `parameters` must be allocated with gradients and outlive this.
  AdamOptimizer(Parameters& parameters, const AdamSettings& settings);

  /// Forgets the gradients of the last update.
  void zero_gradients();
  /// One update at this rate with the gradients as they stand. Returns their norm before clipping; when it is
  /// not finite, nothing was changed and the update does not count.
  double update(double rate);
  /// Updates made so far.
  std::int64_t updates() const { return updates_; }
  /// The moments, laid out as Parameters::values(), and how they are given back to go on after `updates`.
  const Tensor& first_moment() const { return first_moment_; }
  const Tensor& second_moment() const { return second_moment_; }
  void resume(std::int64_t updates) { updates_ = updates; }

 private:
  Parameters& parameters_;
  AdamSettings settings_;
  std::int64_t updates_ = 0;
  Tensor first_moment_, second_moment_;  // [1, n]
  Tensor device_settings_, squared_norm_;
};

}  // namespace nmt
