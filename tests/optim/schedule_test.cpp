// Learning rates at known steps.
#include "optim/schedule.h"

#include <gtest/gtest.h>

#include <cmath>

namespace nmt {
namespace {

double noam_rate(std::int64_t step, double factor, std::int64_t width, std::int64_t warmup) {
  return learning_rate({Schedule::noam, factor, warmup, 0, width}, step);
}

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

TEST(LearningRate, RisesInProportionDuringWarmup) {
  for (const Schedule schedule :
       {Schedule::inverse_sqrt, Schedule::linear, Schedule::cosine, Schedule::constant}) {
    const ScheduleSettings settings{schedule, 2e-3, 100, 1000};
    EXPECT_DOUBLE_EQ(learning_rate(settings, 1), 2e-5);
    EXPECT_DOUBLE_EQ(learning_rate(settings, 50), 1e-3);
    EXPECT_DOUBLE_EQ(learning_rate(settings, 100), 2e-3);
    EXPECT_LE(learning_rate(settings, 101), 2e-3);
  }
}

TEST(LearningRate, FallsAsTheScheduleSays) {
  EXPECT_DOUBLE_EQ(learning_rate({Schedule::inverse_sqrt, 1e-3, 100}, 400), 5e-4);
  EXPECT_DOUBLE_EQ(learning_rate({Schedule::inverse_sqrt, 1e-3, 0}, 4), 5e-4);
  EXPECT_DOUBLE_EQ(learning_rate({Schedule::linear, 1e-3, 100, 1099}, 350), 7.5e-4);
  EXPECT_DOUBLE_EQ(learning_rate({Schedule::cosine, 1e-3, 100, 1099}, 600), 5e-4);
  EXPECT_DOUBLE_EQ(learning_rate({Schedule::constant, 1e-3, 100, 1000}, 100'000), 1e-3);
}

// Marian's lr-warmup: 16000 and lr-decay-inv-sqrt: 32000: rate * min(1, t/16000) * sqrt(32000 / max(t,
// 32000)).
TEST(LearningRate, InverseSqrtMayFallLaterOrEarlierThanWarmupEnds) {
  const auto rate = [](std::int64_t step, std::int64_t warmup, std::int64_t decay_start) {
    return learning_rate(
        {Schedule::inverse_sqrt, 3e-4, warmup, /*steps=*/0, /*width=*/1, /*decay_start=*/decay_start}, step);
  };
  EXPECT_DOUBLE_EQ(rate(4'000, 16'000, 32'000), 7.5e-5);
  EXPECT_DOUBLE_EQ(rate(16'000, 16'000, 32'000), 3e-4);
  EXPECT_DOUBLE_EQ(rate(32'000, 16'000, 32'000), 3e-4) << "level between the two";
  EXPECT_DOUBLE_EQ(rate(128'000, 16'000, 32'000), 1.5e-4);
  EXPECT_DOUBLE_EQ(rate(8'000, 16'000, 2'000), 0.75e-4) << "half of the rise, and half of the rest";
  EXPECT_DOUBLE_EQ(rate(32'000, 0, 8'000), 1.5e-4) << "without warm-up";
  // The rates that Marian 1.12 reports for learn-rate 0.01, lr-warmup 10 and lr-decay-inv-sqrt 20.
  for (const auto& [step, reported] : {std::pair(5, 5e-3), std::pair(10, 1e-2), std::pair(15, 1e-2),
                                       std::pair(25, 8.9443e-3), std::pair(35, 7.5593e-3)})
    EXPECT_NEAR(rate(step, 10, 20) / 3e-4 * 0.01, reported, 5e-8) << step;
  for (const std::int64_t step : {1, 777, 15'999, 16'000, 16'001, 99'999})
    EXPECT_EQ(rate(step, 16'000, 16'000), rate(step, 16'000, 0)) << "0 is the end of warm-up, bit for bit";
}

TEST(LearningRate, IsLeftAtTheLastUpdateAndGoneAfterIt) {
  for (const Schedule schedule : {Schedule::linear, Schedule::cosine}) {
    const ScheduleSettings settings{schedule, 1, 10, 100};
    EXPECT_GT(learning_rate(settings, 100), 0);
    EXPECT_NEAR(learning_rate(settings, 101), 0, 1e-15);
    EXPECT_NEAR(learning_rate(settings, 500), 0, 1e-15);
    EXPECT_DOUBLE_EQ(learning_rate({schedule, 1, 200, 100}, 100), 0.5) << "all of it is warm-up";
  }
}

TEST(LearningRate, SchedulesHaveNames) {
  for (std::size_t i = 0; i < schedule_names().size(); ++i) {
    EXPECT_EQ(static_cast<std::size_t>(schedule_named(schedule_names()[i])), i);
  }
  EXPECT_EQ(schedule_named("cosine"), Schedule::cosine);
}

}  // namespace
}  // namespace nmt
