// A moving average of all weights of a model.
#pragma once

#include "nn/weights/training_weights.h"
#include "optim/device_statistics.h"

namespace nmt {

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
