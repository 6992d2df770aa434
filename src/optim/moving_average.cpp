#include "optim/moving_average.h"

#include <algorithm>

namespace nmt {

MovingAverageOfWeights::MovingAverageOfWeights(Parameters& parameters, double decay)
    : parameters_(parameters), decay_(decay) {
  Backend& backend = parameters.backend();
  const Tensor& values = parameters.values();
  average_ = allocate_tensor(backend, 1, values.columns(), values.dtype());
  spare_ = allocate_tensor(backend, 1, values.columns(), values.dtype());
  weight_ = allocate_tensor(backend, 1, 1, DType::f64);
  backend.copy(average_, values);
}

void MovingAverageOfWeights::update(std::int64_t step) {
  const auto t = static_cast<double>(step);
  const double weight = std::min(decay_, (1 + t) / (10 + t));
  Backend& backend = parameters_.backend();
  backend.upload(weight_, &weight);
  backend.run(MovingAverage{.average = average_, .x = parameters_.values(), .weight = weight_});
}

void MovingAverageOfWeights::exchange() {
  Backend& backend = parameters_.backend();
  backend.copy(spare_, average_);
  backend.copy(average_, parameters_.values());
  backend.copy(parameters_.values(), spare_);
  backend.weights_changed();
}

}  // namespace nmt
