#include <algorithm>
#include <cmath>
#include <numeric>

#include "backend/reference/reference.h"

namespace nmt {

void ReferenceBackend::run(const SquaredNorm& norm) {
  const double* x = norm.x.data<double>();
  norm.out.data<double>()[0] = std::inner_product(x, x + norm.x.size(), x, 0.0);
}

void ReferenceBackend::run(const Adam& adam) {
  const double squared_norm = adam.squared_norm.data<double>()[0];
  if (!std::isfinite(squared_norm)) return;
  const double clip =
      adam.clip_norm > 0 ? std::min(1.0, adam.clip_norm / (std::sqrt(squared_norm) + 1e-6)) : 1;
  const double* settings = adam.settings.data<double>();
  const double rate = settings[0];
  const double correction1 = settings[1];
  const double correction2 = settings[2];
  for (std::int64_t i = 0; i < adam.parameter.size(); ++i) {
    const double g = clip * adam.gradient.data<double>()[i];
    double& m = adam.first_moment.data<double>()[i];
    double& v = adam.second_moment.data<double>()[i];
    m = adam.beta1 * m + (1 - adam.beta1) * g;
    v = adam.beta2 * v + (1 - adam.beta2) * g * g;
    adam.parameter.data<double>()[i] -=
        rate / correction1 * m / (std::sqrt(v) / std::sqrt(correction2) + adam.epsilon);
  }
}

void ReferenceBackend::run(const MovingAverage& moving) {
  const double weight = moving.weight.data<double>()[0];
  for (std::int64_t i = 0; i < moving.x.size(); ++i) {
    double& average = moving.average.data<double>()[i];
    average = weight * average + (1 - weight) * moving.x.data<double>()[i];
  }
}

}  // namespace nmt
