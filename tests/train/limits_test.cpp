#include "train/limits.h"

#include <gtest/gtest.h>

namespace nmt {
namespace {

TEST(Limits, NamesThoseThatAreReached) {
  const Limits limits({.steps = 100, .epochs = 2, .stop_after = {30, Interval::Unit::minutes}});
  EXPECT_EQ(limits.reached({.updates = 99, .epochs = 1.9, .minutes = 29.9}, 1000), "");
  EXPECT_EQ(limits.reached({.updates = 100, .epochs = 1.9, .minutes = 29.9}, 0), "`steps`");
  EXPECT_EQ(limits.reached({.updates = 120, .epochs = 2, .minutes = 31}, 0),
            "`steps`, `epochs`, `stop_after`");
}

TEST(Limits, EarlyStoppingIsOne) {
  const Limits limits({.steps = 0, .early_stopping = 3});
  EXPECT_EQ(limits.reached({.updates = 1'000'000}, 2), "");
  EXPECT_EQ(limits.reached({.updates = 1'000'000}, 3), "`early_stopping`");
}

TEST(Limits, TheNearestTellsHowMuchIsDone) {
  const Limits limits({.steps = 100, .epochs = 2});
  EXPECT_DOUBLE_EQ(limits.part_done({.updates = 25, .epochs = 1}), 0.5);
  EXPECT_DOUBLE_EQ(limits.part_done({.updates = 75, .epochs = 1}), 0.75);
  EXPECT_DOUBLE_EQ(limits.part_done({.updates = 75, .epochs = 4}), 1);
  EXPECT_EQ(limits.nearest({.updates = 75, .epochs = 1}).value().amount, 100);
  EXPECT_DOUBLE_EQ(Limits({.steps = 0}).part_done({.updates = 75}), 0);
  EXPECT_FALSE(Limits({.steps = 0}).nearest({.updates = 75}));
}

TEST(Limits, ThePlanTellsUpdatesAndPasses) {
  EXPECT_EQ(Limits({.steps = 100}).plan(40), "100 updates (2.5 passes over the text)");
  EXPECT_EQ(Limits({.steps = 0, .epochs = 3}).plan(40), "3 passes over the text (about 120 updates)");
  EXPECT_EQ(
      Limits({.steps = 1'000'000, .stop_after = {30, Interval::Unit::minutes}, .early_stopping = 5}).plan(40),
      "1000000 updates (25000.0 passes over the text) or 30 min or 5 validations without a better one, "
      "whichever comes first");
  EXPECT_EQ(Limits({.steps = 0, .stop_after = {2e6, Interval::Unit::tokens}}).plan(40),
            "2000000 target tokens");
  EXPECT_EQ(Limits({.steps = 1}).plan(40), "1 update (0.0 passes over the text)");
  EXPECT_EQ(
      Limits({.steps = 0, .epochs = 1, .early_stopping = 1}).plan(1),
      "1 pass over the text (about 1 update) or 1 validation without a better one, whichever comes first");
  EXPECT_EQ(Limits({.steps = 0}).plan(40), "no end: a signal (Ctrl-C) saves and stops");
}

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
