// Adam over all parameters of a model at once, and a moving average of its weights.
#pragma once

#include <array>
#include <cstdint>

#include "nn/weights/training_weights.h"
#include "optim/device_statistics.h"

namespace nmt {

struct AdamSettings {
  double beta1 = 0.9, beta2 = 0.98, epsilon = 1e-9;  // as in Vaswani et al., 2017, 5.3
  double weight_decay = 0;                           // 0: none
  double clip_norm = 0;                              // 0: no clipping
};

class AdamOptimizer {
 public:
  /// Allocates two moments for each parameter of the shard. `weights` must outlive this object, and must be
  /// shared among the ranks if there are several.
  AdamOptimizer(TrainingWeights& weights, const AdamSettings& settings);

  /// Sets all gradients to zero.
  void zero_gradients();
  /// Makes one update with the current gradients, summed over the ranks. All ranks call this after adding
  /// their own losses to `statistics`, which afterwards contains the losses of all ranks and the norm of the
  /// gradients before clipping. Frozen parameters are excluded from the norm and the update, and their
  /// moments stay. If the norm or the loss is not finite, nothing changes and the update does not count.
  /// `first`, `rates`: see DeviceStatistics::count().
  void update(DeviceStatistics& statistics, std::int64_t first, const std::array<double, 2>& rates);
  /// Return the moments, laid out as TrainingWeights::values().
  const Tensor& first_moment() const { return first_moment_; }
  const Tensor& second_moment() const { return second_moment_; }

 private:
  /// Runs Adam on one piece of the trained parameters.
  void update(const DeviceStatistics& statistics, const Shard::Piece& piece);

  TrainingWeights& weights_;
  AdamSettings settings_;
  Tensor first_moment_, second_moment_;  // laid out as TrainingWeights::values()
};

/// A moving average of all weights of a model.
class MovingAverageOfWeights {
 public:
  /// Starts from the current weights, which must outlive this object. `decay`: the weight of the old average
  /// in each update, above 0.
  MovingAverageOfWeights(TrainingWeights& weights, double decay);

  /// Adds the weights after an update to the average, unless the update was skipped; frozen weights are left
  /// alone. See MovingAverage. `statistics`: of the update.
  void update(const DeviceStatistics& statistics);

  /// Returns the average, laid out as TrainingWeights::values().
  const Tensor& values() const { return average_; }
  /// Swaps the average and the weights of the model; called on all ranks.
  void exchange();

 private:
  TrainingWeights& weights_;
  double decay_;
  Tensor average_, spare_;
};

}  // namespace nmt
