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

}  // namespace
}  // namespace nmt
