#include <cmath>

#include "backend/parity.h"

namespace nmt::testing {
namespace {

struct Sum {
  std::string name;
  std::int64_t count;
  double deviation = 1;
};

Results run_squared_norm(const Sum& sum, Device& device, Random& random) {
  const Tensor out = device.doubles({-1});
  device.backend().run(SquaredNorm{.x = device.vector(random.normal(sum.count, sum.deviation)), .out = out});
  return {{"out", out}};
}

struct Steps {
  std::string name;
  std::int64_t count;
  double clip_norm = 0;
  double gradient = 1;  // its standard deviation
};

Results run_adam(const Steps& steps, Device& device, Random& random) {
  const Tensor parameter = device.vector(random.normal(steps.count));
  const Tensor m = device.vector(std::vector<double>(static_cast<std::size_t>(steps.count), 0));
  const Tensor v = device.vector(std::vector<double>(static_cast<std::size_t>(steps.count), 0));
  for (int t = 1; t <= 3; ++t) {
    const double squared_norm = steps.gradient * steps.gradient * static_cast<double>(steps.count);
    device.backend().run(Adam{.parameter = parameter,
                              .gradient = device.vector(random.normal(steps.count, steps.gradient)),
                              .first_moment = m,
                              .second_moment = v,
                              .settings = device.doubles({0.02, 1 - std::pow(0.9, t), 1 - std::pow(0.98, t)}),
                              .squared_norm = device.doubles({squared_norm}),
                              .clip_norm = steps.clip_norm});
  }
  return {{"parameter", parameter}, {"first_moment", m}, {"second_moment", v}};
}

struct Mean {
  std::string name;
  std::int64_t count;
  double weight;
};

Results run_moving_average(const Mean& mean, Device& device, Random& random) {
  const Tensor average = device.vector(random.normal(mean.count));
  for (int t = 0; t < 3; ++t) {
    device.backend().run(MovingAverage{.average = average,
                                       .x = device.vector(random.normal(mean.count)),
                                       .weight = device.doubles({mean.weight})});
  }
  return {{"average", average}};
}

}  // namespace

Operation squared_norm_operation() {
  return tabulate<Sum>("squared_norm", 1e-12,
                       {{"nothing", 0},
                        {"one", 1},
                        {"odd", 13},
                        {"huge values", 1001, 1e25},
                        {"tiny values", 1001, 1e-25},
                        {"many", 1000003}},
                       run_squared_norm);
}

Operation adam_operation() {
  return tabulate<Steps>("adam", 1e-5,
                         {{"one", 1},
                          {"odd", 13},
                          {"clipped", 1003, 1},
                          {"below the clip norm", 1003, 1000},
                          {"small gradients", 1003, 1, 1e-5},
                          {"many", 100003, 5}},
                         run_adam);
}

Operation moving_average_operation() {
  return tabulate<Mean>("moving_average", 1e-6,
                        {{"one", 1, 0.9}, {"odd", 13, 0.5}, {"many", 100003, 0.999}, {"a copy", 100, 0}},
                        run_moving_average);
}

}  // namespace nmt::testing
