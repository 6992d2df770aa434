// The paper's learning rates at known steps.
#include "optim/schedule.h"

#include <gtest/gtest.h>

#include <cmath>

namespace nmt {
namespace {

TEST(NoamRate, KnownValuesOfTheBaseModel) {
  EXPECT_NEAR(noam_rate(1, 1, 512, 4000), 1.746928107421711e-07, 1e-20);
  EXPECT_NEAR(noam_rate(4000, 1, 512, 4000), 6.987712429686843e-04, 1e-17);
  EXPECT_NEAR(noam_rate(100'000, 1, 512, 4000), 1.397542485937369e-04, 1e-17);
}

TEST(NoamRate, PeaksWhereTheWarmupEnds) {
  const double peak = noam_rate(400, 1, 64, 400);
  EXPECT_DOUBLE_EQ(peak, 1 / std::sqrt(64.0 * 400));
  for (const std::int64_t step : {1, 200, 399, 401, 800, 100'000}) {
    EXPECT_LT(noam_rate(step, 1, 64, 400), peak) << step;
  }
}

TEST(NoamRate, RisesLinearlyAndFallsWithTheSquareRoot) {
  EXPECT_DOUBLE_EQ(noam_rate(300, 1, 64, 400), 3 * noam_rate(100, 1, 64, 400));
  EXPECT_DOUBLE_EQ(noam_rate(3600, 1, 64, 400), noam_rate(400, 1, 64, 400) / 3);
}

TEST(NoamRate, WithoutWarmupItFallsFromTheFirstStep) {
  EXPECT_DOUBLE_EQ(noam_rate(1, 1, 64, 0), 0.125);
  EXPECT_DOUBLE_EQ(noam_rate(4, 1, 64, 0), 0.0625);
  EXPECT_DOUBLE_EQ(noam_rate(1, 1, 64, 1), 0.125);
}

TEST(NoamRate, TheFactorScales) {
  EXPECT_DOUBLE_EQ(noam_rate(123, 2.5, 64, 400), 2.5 * noam_rate(123, 1, 64, 400));
  EXPECT_EQ(noam_rate(123, 0, 64, 400), 0);
}

}  // namespace
}  // namespace nmt
