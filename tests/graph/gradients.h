// Common code of tests of gradients: values flow through cross-entropy or a fixed weighted sum into one
// number. Its derivative by each input element is compared with finite differences, in f64 on the reference
// backend and in f32 on the others.
#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <random>

#include "backend/devices.h"
#include "graph/operations.h"

namespace nmt::testing {

/// Central differences: their step, and the tolerance of gradients.
struct Differences {
  double step, tolerance;
};

inline Differences differences_in(DType sums) {
  return sums == DType::f64 ? Differences{1e-5, 2e-7} : Differences{1e-3, 5e-3};
}

class GradientTest : public ::testing::TestWithParam<std::string> {
 protected:
  GradientTest() : backend_(open_device(GetParam())), worker_(*backend_) {
    random_ = allocate_tensor(*backend_, 1, 2, DType::i32);
    const std::vector<std::int32_t> seed_and_step = {7, 3};
    backend_->upload(random_, seed_and_step.data());
  }

  Parameter parameter(std::int64_t rows, std::int64_t columns) {
    std::normal_distribution<double> normal;
    std::vector<double> values(static_cast<std::size_t>(rows * columns));
    for (double& value : values) value = normal(generator_);
    const Precision precision = backend_->precision();
    Parameter p{"", allocate_tensor(*backend_, rows, columns, precision.compute),
                allocate_tensor(*backend_, rows, columns, precision.master)};
    set(p, values);
    return p;
  }

  void set(const Parameter& p, const std::vector<double>& values) {
    upload_reals(*backend_, p.value, values);
    backend_->weights_changed();
  }

  static Sequences sequences(const Graph& g, const std::vector<std::int32_t>& lengths) {
    std::vector<std::int32_t> begins, positions, keys;
    std::int32_t row = 0, longest = 0;
    for (std::size_t i = 0; i < lengths.size(); ++i) {
      begins.push_back(row);
      for (std::int32_t t = 0; t < lengths[i]; ++t, ++row) {
        positions.push_back(t);
        keys.insert(keys.end(), {static_cast<std::int32_t>(i) + 10, t});
      }
      longest = std::max(longest, lengths[i]);
    }
    const auto count = static_cast<std::int64_t>(lengths.size());
    return {{g.upload(begins, 1, count), g.upload(lengths, 1, count), count, longest},
            g.upload(positions, 1, row),
            g.upload(keys, row, 2),
            longest,
            row};
  }

  /// Returns x as a variable whose gradient is added to the parameter, so that inputs are checked like
  /// weights.
  static Var input(Graph& g, const Parameter& x) {
    const Var v = g.variable(x.value);
    g.record([&g, x, v] { g.backend().add(x.gradient, *v.gradient); });
    return v;
  }

  /// Returns sum_i w_i y_i with fixed weights w.
  double weighted_sum(Graph& g, const Var& y) {
    std::mt19937 generator(5);
    std::normal_distribution<double> normal;
    std::vector<double> weights(static_cast<std::size_t>(y.value.size()));
    for (double& w : weights) w = normal(generator);
    const Tensor gradient = g.allocate(y.value.rows(), y.value.columns());
    upload_reals(*backend_, gradient, weights);
    g.record([&g, y, gradient] { g.deposit(y, gradient); });
    const std::vector<double> values = download_reals(*backend_, y.value);
    double sum = 0;
    for (std::size_t i = 0; i < values.size(); ++i) sum += weights[i] * values[i];
    return sum;
  }

  using Function = std::function<double(Graph&)>;

  double value(const Function& f) {
    Graph g(worker_, rates_, random_);
    return f(g);
  }

  /// Compares the gradients of f by all elements of `inputs` with central differences.
  void check(const Function& f, const std::vector<Parameter>& inputs) {
    const auto [step, tolerance] = differences_in(backend_->precision().sum);
    {
      Graph g(worker_, rates_, random_);
      f(g);
      g.backward();
    }
    // Reads all gradients before f runs again, which may add to some of them.
    std::vector<std::vector<double>> gradients;
    for (const Parameter& input : inputs) gradients.push_back(download_reals(*backend_, input.gradient));
    for (std::size_t p = 0; p < inputs.size(); ++p) {
      const std::vector<double>& analytic = gradients[p];
      std::vector<double> elements = download_reals(*backend_, inputs[p].value);
      const std::vector<double> before = elements;
      for (std::size_t i = 0; i < elements.size(); ++i) {
        const double kept = elements[i];
        const auto at = [&](double x) {
          elements[i] = x;
          set(inputs[p], elements);
          return value(f);
        };
        const double numeric = (at(kept + step) - at(kept - step)) / (2 * step);
        elements[i] = kept;
        EXPECT_NEAR(analytic[i], numeric, tolerance * std::max(1.0, std::abs(numeric)))
            << "input " << p << ", element " << i;
      }
      set(inputs[p], before);
    }
  }

  std::unique_ptr<Backend> backend_;
  Worker worker_;
  Tensor random_;
  DropoutRates rates_;
  std::mt19937 generator_{1};
};

/// Returns the device, for names of tests.
inline constexpr auto kNameOfDevice = [](const ::testing::TestParamInfo<std::string>& device) {
  return device.param;
};

}  // namespace nmt::testing
