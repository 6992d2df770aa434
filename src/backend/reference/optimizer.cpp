#include <algorithm>
#include <cmath>
#include <numeric>

#include "backend/reference/reference.h"

namespace nmt {

void ReferenceBackend::run(const SquaredNorm& norm) {
  const double* x = norm.x.data<double>();
  norm.out.data<double>()[0] += std::inner_product(x, x + norm.x.size(), x, 0.0);
}

void ReferenceBackend::run(const Adam& adam) {
  const StepStatistics& statistics = statistics_in(adam.statistics);
  if (statistics.finite == 0) return;
  const double norm = std::sqrt(statistics.squared_norm) / statistics.gradient_scale;
  const double clip = adam.clip_norm > 0 ? std::min(1.0, adam.clip_norm / (norm + 1e-6)) : 1;
  const double correction1 = 1 - std::pow(adam.beta1, statistics.updates);
  const double correction2 = 1 - std::pow(adam.beta2, statistics.updates);
  for (std::int64_t i = 0; i < adam.parameter.size(); ++i) {
    const double g = clip / statistics.gradient_scale * adam.gradient.data<double>()[i];
    double& m = adam.first_moment.data<double>()[i];
    double& v = adam.second_moment.data<double>()[i];
    m = adam.beta1 * m + (1 - adam.beta1) * g;
    v = adam.beta2 * v + (1 - adam.beta2) * g * g;
    const double step =
        statistics.rate / correction1 * m / (std::sqrt(v) / std::sqrt(correction2) + adam.epsilon);
    double& parameter = adam.parameter.data<double>()[i];
    parameter -= statistics.rate * adam.weight_decay * parameter + step;
  }
  if (adam.compute_copy) copy(adam.compute_copy, adam.parameter);
}

void ReferenceBackend::run(const Convert& convert) {
  copy(convert.to, convert.from);
}

void ReferenceBackend::run(const MovingAverage& moving) {
  const StepStatistics& statistics = statistics_in(moving.statistics);
  if (statistics.finite == 0) return;
  const double weight = std::min(moving.decay, (1 + statistics.updates) / (10 + statistics.updates));
  for (std::int64_t i = 0; i < moving.x.size(); ++i) {
    double& average = moving.average.data<double>()[i];
    average = weight * average + (1 - weight) * moving.x.data<double>()[i];
  }
}

}  // namespace nmt
