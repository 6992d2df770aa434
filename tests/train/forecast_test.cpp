#include "train/forecast.h"

#include <gtest/gtest.h>

namespace nmt {
namespace {

TrainingSettings plan(std::int64_t steps, double valid_every, double save_every) {
  TrainingSettings settings;
  settings.steps = steps;
  settings.valid_every.amount = valid_every;
  settings.save_every.amount = save_every;
  return settings;
}

TEST(Forecast, IsOfUpdatesValidationsAndCheckpoints) {
  Forecast forecast(plan(1000, 300, 500), true, {});
  EXPECT_FALSE(forecast.rest({}, 0, false)) << "nothing was made yet";
  auto rest = forecast.rest({.updates = 250}, 50, false).value();
  EXPECT_DOUBLE_EQ(rest.seconds, 150);
  EXPECT_TRUE(rest.unknown_validation);
  forecast.validated(6);
  forecast.saved(2);
  rest = forecast.rest({.updates = 250}, 50, false).value();
  EXPECT_DOUBLE_EQ(rest.seconds, 150 + 4 * 6 + 2 * 2) << "at 300, 600, 900 and 1000; at 500 and 1000";
  EXPECT_FALSE(rest.unknown_validation);
  EXPECT_DOUBLE_EQ(forecast.rest({.updates = 600}, 120, true)->seconds, 80 + 3 * 6 + 2) << "one of them now";
  EXPECT_DOUBLE_EQ(forecast.rest({.updates = 1000}, 200, true)->seconds, 6) << "no update, but a validation";
}

TEST(Forecast, CountsWhatIsAtTheEndOnce) {
  Forecast forecast(plan(900, 300, 0), true, {.updates = 100});
  forecast.validated(6);
  EXPECT_DOUBLE_EQ(forecast.rest({.updates = 300}, 200, false)->seconds, 600 + 2 * 6);
  Forecast without(plan(900, 300, 0), false, {.updates = 100});
  EXPECT_DOUBLE_EQ(without.rest({.updates = 300}, 200, false)->seconds, 600);
}

TEST(Forecast, TakesUnitsFromThePaceSoFar) {
  TrainingSettings settings = plan(0, 0, 0);
  settings.epochs = 4;
  settings.valid_every = {100, Interval::Unit::updates};
  Forecast forecast(settings, true, {.updates = 200, .epochs = 1});
  forecast.validated(6);
  EXPECT_DOUBLE_EQ(forecast.rest({.updates = 400, .epochs = 2}, 10, false)->seconds, 20 + 4 * 6);
}

TEST(Forecast, ALimitOfTimeHoldsAllButTheEnd) {
  TrainingSettings settings = plan(0, 100, 0);
  settings.stop_after = {30, Interval::Unit::minutes};
  Forecast forecast(settings, true, {});
  forecast.validated(6);
  EXPECT_DOUBLE_EQ(forecast.rest({.updates = 400, .minutes = 29}, 100, false)->seconds, 60 + 6);
  EXPECT_FALSE(Forecast(plan(0, 100, 0), true, {}).rest({.updates = 400}, 100, false)) << "no limit";
}

}  // namespace
}  // namespace nmt
