// Adam over all parameters of a model at once.
#pragma once

#include <array>
#include <cstdint>

#include "nn/weights/training_weights.h"
#include "optim/device_statistics.h"

namespace nmt {

struct AdamSettings {
  double beta1 = 0.9, beta2 = 0.98, epsilon = 1e-9;  // the paper's, 5.3
  double weight_decay = 0;                           // 0: none
  double clip_norm = 0;                              // 0: no clipping
};

class AdamOptimizer {
 public:
  /// Holds two moments for each parameter of the shard; `weights` must be shared among ranks where there are
  /// several, and outlive this.
  AdamOptimizer(TrainingWeights& weights, const AdamSettings& settings);

  /// Forgets the gradients of the last update.
  void zero_gradients();
  /// One update with the gradients as they stand, summed over the ranks, after the losses of this rank were
  /// added to `statistics`, which then tell those of all ranks, and the norm of the gradients before
  /// clipping. What is frozen takes no part in it, and its moments stay. Where that or the loss is not
  /// finite, nothing is changed and the update does not count. `first`, `rates`: see
  /// DeviceStatistics::count(). All ranks call it.
  void update(DeviceStatistics& statistics, std::int64_t first, const std::array<double, 2>& rates);
  /// The moments, laid out as TrainingWeights::values().
  const Tensor& first_moment() const { return first_moment_; }
  const Tensor& second_moment() const { return second_moment_; }

 private:
  /// Adam on a piece of what is trained.
  void update(const DeviceStatistics& statistics, const Shard::Piece& piece);

  TrainingWeights& weights_;
  AdamSettings settings_;
  Tensor first_moment_, second_moment_;  // as TrainingWeights::values()
};

}  // namespace nmt
