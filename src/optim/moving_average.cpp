#include "optim/moving_average.h"

namespace nmt {

MovingAverageOfWeights::MovingAverageOfWeights(Parameters& parameters, double decay)
    : parameters_(parameters), decay_(decay) {
  Backend& backend = parameters.backend();
  const Tensor& values = parameters.values();
  average_ = allocate_tensor(backend, 1, values.columns(), values.dtype());
  spare_ = allocate_tensor(backend, 1, values.columns(), values.dtype());
  backend.copy(average_, values);
}

void MovingAverageOfWeights::update(const DeviceFigures& figures) {
  parameters_.backend().run(MovingAverage{
      .average = average_, .x = parameters_.values(), .figures = figures.values(), .decay = decay_});
}

void MovingAverageOfWeights::exchange() {
  Backend& backend = parameters_.backend();
  backend.copy(spare_, average_);
  backend.copy(average_, parameters_.values());
  backend.copy(parameters_.values(), spare_);
  parameters_.values_changed();
}

}  // namespace nmt
