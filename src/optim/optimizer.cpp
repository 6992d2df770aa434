#include "optim/optimizer.h"

#include <array>
#include <cmath>

namespace nmt {

AdamOptimizer::AdamOptimizer(Parameters& parameters, const AdamSettings& settings)
    : parameters_(parameters), settings_(settings) {
  Backend& backend = parameters.backend();
  const std::int64_t n = parameters.values().columns();
  first_moment_ = allocate_tensor(backend, 1, n, backend.precision().master);
  second_moment_ = allocate_tensor(backend, 1, n, backend.precision().master);
  device_settings_ = allocate_tensor(backend, 1, 3, DType::f64);
  squared_norm_ = allocate_tensor(backend, 1, 1, DType::f64);
}

void AdamOptimizer::zero_gradients() {
  parameters_.backend().zero(parameters_.gradients());
}

double AdamOptimizer::update(double rate) {
  Backend& backend = parameters_.backend();
  backend.run(SquaredNorm{.x = parameters_.gradients(), .out = squared_norm_});
  double squared_norm = 0;
  backend.download(&squared_norm, squared_norm_);
  if (!std::isfinite(squared_norm)) return squared_norm;
  const auto t = static_cast<double>(++updates_);
  const std::array<double, 3> values = {rate, 1 - std::pow(settings_.beta1, t),
                                        1 - std::pow(settings_.beta2, t)};
  backend.upload(device_settings_, values.data());
  backend.run(Adam{.parameter = parameters_.values(),
                   .gradient = parameters_.gradients(),
                   .first_moment = first_moment_,
                   .second_moment = second_moment_,
                   .settings = device_settings_,
                   .squared_norm = squared_norm_,
                   .beta1 = settings_.beta1,
                   .beta2 = settings_.beta2,
                   .epsilon = settings_.epsilon,
                   .clip_norm = settings_.clip_norm});
  return std::sqrt(squared_norm);
}

}  // namespace nmt
