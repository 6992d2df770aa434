// Adafactor compared with transformers.Adafactor; divided among ranks; gradients that are not finite.
#include "optim/adafactor.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <optional>
#include <utility>

#include "backend/factory.h"

namespace nmt {
namespace {

using ::testing::DoubleNear;
using ::testing::Pointwise;

class AdafactorTest : public ::testing::Test {
 protected:
  AdafactorTest()
      : vector_(parameters_.add("vector", ParameterSpec::vector(3))),
        matrix_(parameters_.add("matrix", ParameterSpec::matrix(2, 3))) {
    upload_reals(*backend_, vector_.value, {1, -2, 1e-4});
    upload_reals(*backend_, matrix_.value, {0.5, -1, 0.25, 2, 0.125, -0.75});
  }

  /// Makes an update with the gradients of number t at this rate.
  void update(Optimizer& optimizer, int t, double rate) {
    std::vector<double> gradients;
    for (int i = 0; i < 6; ++i) gradients.push_back(std::sin(3 * t + i));
    upload_reals(*backend_, matrix_.gradient, gradients);
    upload_reals(*backend_, vector_.gradient, {0.5 * t - 1, 1e-3, -0.25 * t * t});
    optimizer.update(*statistics_, t, {rate});
    statistics_->begin(1);
  }
  void expect(const std::vector<double>& matrix, const std::vector<double>& vector) const {
    EXPECT_THAT(download_reals(*backend_, matrix_.value), Pointwise(DoubleNear(1e-12), matrix));
    EXPECT_THAT(download_reals(*backend_, vector_.value), Pointwise(DoubleNear(1e-12), vector));
  }
  std::vector<double> state(const Optimizer& optimizer, const std::string& name) const {
    for (const auto& [of, values] : optimizer.shared_state())
      if (of == name) return download_reals(*backend_, values);
    return {};
  }

  std::unique_ptr<Backend> backend_ = open_backend({.device = "reference"});
  std::optional<DeviceStatistics> statistics_{std::in_place, *backend_, 1U};
  Parameters parameters_;
  Parameter &vector_, &matrix_;
  TrainingWeights weights_{parameters_, *backend_};
};

// Expected values are those of transformers 5.24, optimization.Adafactor, in f64, with relative_step=False.
TEST_F(AdafactorTest, IsThatOfTransformers) {
  AdafactorOptimizer adafactor(weights_, {.weight_decay = 0.1});
  for (int t = 1; t <= 4; ++t) update(adafactor, t, 0.1 / t);
  expect({0.4668045840265699, -0.9147383392387481, 0.29927361794943563, 2.025927423260445,
          0.06310111569188637, -0.7923580737055763},
         {1.0140546146180998, -2.2036547598489893, 0.3089976524267676});
  EXPECT_THAT(state(adafactor, "second_moment_rows.matrix"),
              Pointwise(DoubleNear(1e-12), {0.49067931884612814, 0.4840718903954623}));
  EXPECT_THAT(state(adafactor, "second_moment_columns.matrix"),
              Pointwise(DoubleNear(1e-12), {0.21699405331938937, 0.27416960447230665, 0.9709631560706896}));
  EXPECT_THAT(state(adafactor, "second_moment_columns.vector"),
              Pointwise(DoubleNear(1e-12), {0.4411418034928134, 1e-06, 6.922233205710243}));
}

TEST_F(AdafactorTest, WithoutScaleItIsThatOfTransformersWithoutScaleParameter) {
  AdafactorOptimizer adafactor(weights_, {.scales = false});
  for (int t = 1; t <= 4; ++t) update(adafactor, t, 0.1 / t);
  expect({0.47485943953776893, -0.9322947255187942, 0.30743856056715435, 2.071241555840593,
          0.06302057197126919, -0.8109497873983882},
         {1.0392531811616896, -2.1953440350551965, 0.23127003109510064});
}

// U does not depend on the scale of all gradients, except through epsilon.
TEST_F(AdafactorTest, ClippingAllGradientsChangesOnlyTheMoments) {
  AdafactorOptimizer clipped(weights_, {.scales = false, .clip_norm = 1e-3});
  update(clipped, 1, 0.1);
  const std::vector<double> found = download_reals(*backend_, matrix_.value);
  upload_reals(*backend_, matrix_.value, {0.5, -1, 0.25, 2, 0.125, -0.75});
  statistics_.emplace(*backend_, 1U);
  AdafactorOptimizer whole(weights_, {.scales = false});
  update(whole, 1, 0.1);
  EXPECT_THAT(download_reals(*backend_, matrix_.value), Pointwise(DoubleNear(1e-12), found));
  EXPECT_LT(state(clipped, "second_moment_rows.matrix")[0],
            1e-5 * state(whole, "second_moment_rows.matrix")[0]);
}

TEST_F(AdafactorTest, AGradientThatIsNotFiniteChangesNothing) {
  AdafactorOptimizer adafactor(weights_, {.weight_decay = 0.1});
  update(adafactor, 1, 0.1);
  const std::vector<double> before = download_reals(*backend_, matrix_.value);
  const std::vector<double> moments = state(adafactor, "second_moment_rows.matrix");
  upload_reals(*backend_, vector_.gradient, {std::numeric_limits<double>::infinity(), 0, 0});
  adafactor.update(*statistics_, 2, {0.1});
  EXPECT_EQ(download_reals(*backend_, matrix_.value), before);
  EXPECT_EQ(state(adafactor, "second_moment_rows.matrix"), moments);
  EXPECT_EQ(statistics_->read().updates, 1);
}

TEST_F(AdafactorTest, WhatIsFrozenStaysAsItIs) {
  AdafactorOptimizer adafactor(weights_, {.weight_decay = 0.1});
  update(adafactor, 1, 0.1);
  const std::vector<double> moments = state(adafactor, "second_moment_rows.matrix");
  const std::vector<double> before = download_reals(*backend_, matrix_.value);
  weights_.freeze({"matrix"});
  update(adafactor, 2, 0.1);
  EXPECT_EQ(download_reals(*backend_, matrix_.value), before);
  EXPECT_EQ(state(adafactor, "second_moment_rows.matrix"), moments);
  EXPECT_NE(download_reals(*backend_, vector_.value)[0], 1);
}

}  // namespace
}  // namespace nmt
