// Adam compared with its formulas for single weights; decay; clipping; gradients that are not finite.
#include "optim/optimizer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <optional>

#include "backend/factory.h"

namespace nmt {
namespace {

using ::testing::Each;
using ::testing::ElementsAre;

/// One weight by the algorithm of Kingma and Ba, 2015, with the decay of Loshchilov and Hutter, 2019.
class Weight {
 public:
  explicit Weight(double value, double decay = 0) : value_(value), decay_(decay) {}
  double after(double gradient, double rate) {
    ++t_;
    m_ = 0.9 * m_ + (1 - 0.9) * gradient;
    v_ = 0.98 * v_ + (1 - 0.98) * gradient * gradient;
    value_ -= rate * decay_ * value_;
    value_ -= rate * m_ / (1 - std::pow(0.9, t_)) / (std::sqrt(v_ / (1 - std::pow(0.98, t_))) + 1e-9);
    return value_;
  }

 private:
  double value_, decay_, m_ = 0, v_ = 0;
  int t_ = 0;
};

class OptimizerTest : public ::testing::Test {
 protected:
  OptimizerTest()
      : a_(parameters_.add("a", ParameterSpec::vector(2))),
        b_(parameters_.add("b", ParameterSpec::matrix(1, 1))) {
    upload_reals(*backend_, a_.value, {1, -2});
    upload_reals(*backend_, b_.value, {0.5});
  }

  void set_gradients(double a0, double a1, double b) {
    upload_reals(*backend_, a_.gradient, {a0, a1});
    upload_reals(*backend_, b_.gradient, {b});
  }

  /// Makes an update at this rate, and returns the norm of its gradients.
  double update(AdamOptimizer& adam, double rate) {
    adam.update(statistics_, updates() + 1, {rate});
    const double norm = std::sqrt(statistics_.read().squared_norm);
    statistics_.begin(1);
    return norm;
  }
  std::int64_t updates() const { return static_cast<std::int64_t>(statistics_.read().updates); }

  std::vector<double> weights() const {
    std::vector<double> values = download_reals(*backend_, a_.value);
    values.push_back(download_reals(*backend_, b_.value)[0]);
    return values;
  }

  std::unique_ptr<Backend> backend_ = open_backend({.device = "reference"});
  DeviceStatistics statistics_{*backend_, 1};
  Parameters parameters_;
  Parameter& a_;
  Parameter& b_;
  TrainingWeights weights_{parameters_, *backend_};
};

TEST_F(OptimizerTest, FollowsTheAlgorithm) {
  AdamOptimizer adam(weights_, {});
  Weight first(1), second(-2), third(0.5);
  for (int step = 1; step <= 5; ++step) {
    const double g = 0.3 * step - 1, rate = 0.01 * step;
    set_gradients(g, 1e-3, -g);
    EXPECT_NEAR(update(adam, rate), std::sqrt(2 * g * g + 1e-6), 1e-12);
    const std::vector<double> found = weights();
    EXPECT_NEAR(found[0], first.after(g, rate), 1e-12);
    EXPECT_NEAR(found[1], second.after(1e-3, rate), 1e-12);
    EXPECT_NEAR(found[2], third.after(-g, rate), 1e-12);
  }
  EXPECT_EQ(updates(), 5);
}

// Expected values are those of the algorithm in PyTorch's documentation of torch.optim.AdamW, in f64.
TEST_F(OptimizerTest, WeightDecayIsThatOfAdamW) {
  AdamOptimizer adam(weights_, {.weight_decay = 0.1});
  set_gradients(0.5, 0, -0.5);
  update(adam, 0.01);
  set_gradients(-0.25, 0, 1);
  update(adam, 0.02);
  set_gradients(0.125, 0, 2);
  update(adam, 0.03);
  const std::vector<double> found = weights();
  EXPECT_NEAR(found[0], 0.9684512694936049, 1e-12);
  EXPECT_NEAR(found[1], -2 * 0.999 * 0.998 * 0.997, 1e-12);
  EXPECT_NEAR(found[2], 0.47894700214230373, 1e-12);
}

TEST_F(OptimizerTest, ClippingScalesAllGradientsTogether) {
  AdamOptimizer adam(weights_, {.clip_norm = 1});
  Weight first(1), second(-2), third(0.5);
  set_gradients(3, 0, -4);
  EXPECT_DOUBLE_EQ(update(adam, 0.1), 5) << "the norm before clipping";
  first.after(3 / (5 + 1e-6), 0.1);
  second.after(0, 0.1);
  third.after(-4 / (5 + 1e-6), 0.1);
  set_gradients(0.3, 0, 0.4);  // within the norm: left as they are
  EXPECT_DOUBLE_EQ(update(adam, 0.1), 0.5);
  const std::vector<double> found = weights();
  EXPECT_NEAR(found[0], first.after(0.3, 0.1), 1e-12);
  EXPECT_NEAR(found[1], second.after(0, 0.1), 1e-12);
  EXPECT_NEAR(found[2], third.after(0.4, 0.1), 1e-12);
}

TEST_F(OptimizerTest, AGradientThatIsNotFiniteChangesNothingAndDoesNotCount) {
  AdamOptimizer adam(weights_, {.weight_decay = 0.1, .clip_norm = 1});
  Weight first(1, 0.1);
  set_gradients(0.5, 0, 0);
  update(adam, 0.1);
  first.after(0.5, 0.1);
  const std::vector<double> before = weights();
  for (const double bad : {std::numeric_limits<double>::infinity(), -std::numeric_limits<double>::infinity(),
                           std::numeric_limits<double>::quiet_NaN(), 1e200}) {
    set_gradients(0.5, bad, 0);
    EXPECT_FALSE(std::isfinite(update(adam, 0.1)));
    EXPECT_EQ(weights(), before);
    EXPECT_EQ(updates(), 1);
  }
  set_gradients(0.25, 0, 0);
  update(adam, 0.1);
  EXPECT_NEAR(weights()[0], first.after(0.25, 0.1), 1e-12) << "the moments were left alone, too";
}

TEST_F(OptimizerTest, ALossThatIsNotFiniteChangesNothingAndDoesNotCount) {
  AdamOptimizer adam(weights_, {});
  const std::vector<double> before = weights();
  const Tensor losses = allocate_tensor(*backend_, 1, 2, backend_->precision().sum);
  set_gradients(1, 2, 3);
  statistics_.begin(2);
  upload_reals(*backend_, losses, {1, std::numeric_limits<double>::infinity()});
  statistics_.add({losses, losses});
  update(adam, 0.1);
  EXPECT_EQ(statistics_.read().finite, 0);
  EXPECT_EQ(weights(), before);
  EXPECT_EQ(updates(), 0);
  statistics_.begin(2);  // forgets the losses
  update(adam, 0.1);
  EXPECT_EQ(statistics_.read().finite, 1);
  EXPECT_NE(weights(), before);
  EXPECT_EQ(updates(), 1);
}

TEST_F(OptimizerTest, WhatIsFrozenStaysAsItIs) {
  AdamOptimizer adam(weights_, {.weight_decay = 0.1, .clip_norm = 1});
  set_gradients(0.3, 0.1, 0.4);
  update(adam, 0.1);
  Weight third(0.5, 0.1);
  third.after(0.4, 0.1);
  const std::vector<double> before = weights();
  const auto moments = [&] { return download_reals(*backend_, adam.first_moment()); };
  const double moment = moments()[0];
  weights_.freeze({"a"});
  set_gradients(30, std::numeric_limits<double>::infinity(), -4);
  EXPECT_DOUBLE_EQ(update(adam, 0.1), 4) << "of what is trained";
  EXPECT_EQ(weights()[0], before[0]);
  EXPECT_EQ(weights()[1], before[1]);
  EXPECT_NEAR(weights()[2], third.after(-4 / (4 + 1e-6), 0.1), 1e-12);
  EXPECT_EQ(moments()[0], moment);
  weights_.freeze({});
  set_gradients(0.3, 0, 0);
  EXPECT_DOUBLE_EQ(update(adam, 0.1), 0.3);
  EXPECT_NE(weights()[0], before[0]);
}

TEST_F(OptimizerTest, TheRateIsThatOfTheUpdateWhichCounts) {
  AdamOptimizer adam(weights_, {});
  const auto rate_after = [&](double gradient) {
    set_gradients(gradient, 0, 0);
    statistics_.begin(1);
    adam.update(statistics_, 1, {0.1, 0.2});  // the host has heard of no update yet
    return statistics_.read().rate;
  };
  EXPECT_EQ(rate_after(std::numeric_limits<double>::infinity()), 0.1);
  EXPECT_EQ(rate_after(1), 0.1) << "the update before was skipped";
  EXPECT_EQ(rate_after(1), 0.2);
}

TEST_F(OptimizerTest, GradientsAreForgottenOnRequest) {
  AdamOptimizer adam(weights_, {});
  set_gradients(1, 2, 3);
  adam.zero_gradients();
  EXPECT_THAT(download_reals(*backend_, weights_.gradients()), Each(0.0));
  EXPECT_EQ(update(adam, 0.1), 0);
  EXPECT_THAT(weights(), ElementsAre(1, -2, 0.5));
}

class MovingAverageTest : public ::testing::TestWithParam<std::string> {
 protected:
  MovingAverageTest()
      : backend_(open_backend({.device = GetParam() == "reference" ? "reference" : "cpu",
                               .precision = GetParam() == "bf16" ? "bf16" : "auto"})) {
    weight_ = &parameters_.add("weight", ParameterSpec::position_table(1, 2));
    weights_.emplace(parameters_, *backend_);
    set({1, -2});
  }

  void set(const std::vector<double>& values) {
    upload_reals(*backend_, TrainingWeights::span(weights_->values(), parameters_.entries()[0]), values);
    weights_->values_changed();
  }
  std::vector<double> weights() { return download_reals(*backend_, weight_->value); }
  std::vector<double> averages(MovingAverageOfWeights& average) {
    average.exchange();
    const std::vector<double> values = weights();
    average.exchange();
    return values;
  }

  /// Statistics of an update that counts.
  DeviceStatistics after(std::int64_t updates) { return {*backend_, 1, updates}; }

  const double tolerance_ = GetParam() == "bf16" ? 0x1p-9 : 1e-6;  // of numbers below 1 / 2, rounded once
  std::unique_ptr<Backend> backend_;
  Parameters parameters_;
  std::optional<TrainingWeights> weights_;
  Parameter* weight_;
};

TEST_P(MovingAverageTest, BeginsWithTheWeights) {
  MovingAverageOfWeights average(*weights_, 0.9);
  EXPECT_THAT(averages(average), ::testing::ElementsAre(1, -2));
}

TEST_P(MovingAverageTest, FollowsTheWeights) {
  MovingAverageOfWeights average(*weights_, 0.5);
  set({0, 0});
  average.update(after(1));  // 2 / 11 of the old
  EXPECT_THAT(averages(average), ::testing::ElementsAre(::testing::DoubleNear(2.0 / 11, tolerance_),
                                                        ::testing::DoubleNear(-4.0 / 11, tolerance_)));
  average.update(after(1000));  // a half of it
  EXPECT_THAT(averages(average), ::testing::ElementsAre(::testing::DoubleNear(1.0 / 11, tolerance_),
                                                        ::testing::DoubleNear(-2.0 / 11, tolerance_)));
}

TEST_P(MovingAverageTest, GivesTheWeightsBackUnchanged) {
  MovingAverageOfWeights average(*weights_, 0.99);
  set({0.1, 0.3});
  const std::vector<double> before = weights();
  average.update(after(7));
  const std::vector<double> first = averages(average);
  EXPECT_EQ(weights(), before);
  EXPECT_NE(first, before);
  EXPECT_EQ(averages(average), first);
}

INSTANTIATE_TEST_SUITE_P(Devices, MovingAverageTest, ::testing::Values("reference", "cpu", "bf16"),
                         [](const auto& device) { return device.param; });

}  // namespace

}  // namespace nmt
