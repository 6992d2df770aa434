#include "optim/moving_average.h"

namespace nmt {

MovingAverageOfWeights::MovingAverageOfWeights(TrainingWeights& weights, double decay)
    : weights_(weights), decay_(decay) {
  Backend& backend = weights.backend();
  const Tensor& values = weights.values();
  average_ = allocate_tensor(backend, 1, values.columns(), values.dtype());
  spare_ = allocate_tensor(backend, 1, values.columns(), values.dtype());
  backend.copy(average_, values);
}

void MovingAverageOfWeights::update(const DeviceStatistics& statistics) {
  for (const auto& [part, place, is_shared] : weights_.trained()) {
    weights_.backend().run(MovingAverage{.average = average_.slice_columns(place, part.size),
                                         .x = weights_.values().slice_columns(place, part.size),
                                         .statistics = statistics.values(),
                                         .decay = decay_});
  }
}

void MovingAverageOfWeights::exchange() {
  Backend& backend = weights_.backend();
  backend.copy(spare_, average_);
  backend.copy(average_, weights_.values());
  backend.copy(weights_.values(), spare_);
  weights_.values_changed();
}

}  // namespace nmt
