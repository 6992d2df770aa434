#include "optim/moving_average.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <optional>

#include "backend/factory.h"

namespace nmt {
namespace {

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
