#include "optim/optimizer.h"

namespace nmt {

AdamOptimizer::AdamOptimizer(Parameters& parameters, const AdamSettings& settings)
    : parameters_(parameters), settings_(settings) {
  Backend& backend = parameters.backend();
  const std::int64_t n = parameters.values().columns();
  first_moment_ = allocate_tensor(backend, 1, n, backend.precision().master);
  second_moment_ = allocate_tensor(backend, 1, n, backend.precision().master);
}

void AdamOptimizer::zero_gradients() {
  parameters_.backend().zero(parameters_.gradients());
}

void AdamOptimizer::update(DeviceFigures& figures, std::int64_t first, const std::array<double, 2>& rates) {
  figures.count(parameters_.gradients(), first, rates);
  parameters_.backend().run(Adam{.parameter = parameters_.values(),
                                 .gradient = parameters_.gradients(),
                                 .first_moment = first_moment_,
                                 .second_moment = second_moment_,
                                 .mirror = parameters_.mirror(),
                                 .figures = figures.values(),
                                 .beta1 = settings_.beta1,
                                 .beta2 = settings_.beta2,
                                 .epsilon = settings_.epsilon,
                                 .clip_norm = settings_.clip_norm});
}

}  // namespace nmt
