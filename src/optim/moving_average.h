// A moving average of all weights of a model.
#pragma once

#include "nn/weights/training_weights.h"
#include "optim/device_statistics.h"

namespace nmt {

class MovingAverageOfWeights {
 public:
  /// Begins with the weights as they are; they must outlive this. `decay`: the part of the old average that
  /// stays with an update, above 0.
  MovingAverageOfWeights(TrainingWeights& weights, double decay);

  /// Takes in the weights after an update, unless it was skipped, and but for what is frozen: see
  /// MovingAverage. `statistics`: of the update.
  void update(const DeviceStatistics& statistics);

  /// The average, laid out as TrainingWeights::values().
  const Tensor& values() const { return average_; }
  /// Swaps the average and the weights of the model, on all ranks.
  void exchange();

 private:
  TrainingWeights& weights_;
  double decay_;
  Tensor average_, spare_;
};

}  // namespace nmt
