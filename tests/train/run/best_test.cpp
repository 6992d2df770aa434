#include "train/run/best.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

namespace nmt {
namespace {

using ::testing::ElementsAre;
using Entry = BestValidations::Entry;

TEST(BestValidations, RemembersTheLowest) {
  BestValidations best("perplexity", 2);
  EXPECT_TRUE(best.add(10, 5));
  EXPECT_TRUE(best.add(20, 7));
  EXPECT_FALSE(best.add(30, 8));
  EXPECT_TRUE(best.add(40, 4));
  EXPECT_THAT(best.entries(), ElementsAre(Entry{40, 4}, Entry{10, 5}));
}

TEST(BestValidations, OfBleuTheHighest) {
  BestValidations best("bleu", 1);
  EXPECT_TRUE(best.add(10, 20.5));
  EXPECT_FALSE(best.add(20, 20));
  EXPECT_TRUE(best.add(30, 21));
  EXPECT_THAT(best.entries(), ElementsAre(Entry{30, 21}));
}

TEST(BestValidations, OfACommandTheHighest) {
  BestValidations best("command", 1);
  best.add(10, 0.7);
  EXPECT_FALSE(best.add(20, 0.6));
  EXPECT_TRUE(best.add(30, 0.8));
}

TEST(BestValidations, OfOtherMetricsTheBetter) {
  for (const std::string figure : {"chrf", "chrf++", "ter"}) {
    BestValidations best(figure, 1);
    best.add(10, 20);
    EXPECT_EQ(best.add(20, 30), figure != "ter") << figure;
    EXPECT_EQ(best.add(30, 10), figure == "ter") << figure;
  }
  EXPECT_TRUE(is_metric("bleu") && is_metric("ter") && !is_metric("loss"));
}

TEST(BestValidations, CountsThoseWithoutImprovement) {
  BestValidations best("loss", 3);
  EXPECT_EQ(best.stalled(), 0);
  best.add(10, 5);
  EXPECT_EQ(best.stalled(), 0);
  best.add(20, 5);
  EXPECT_EQ(best.stalled(), 1) << "as good as the best is not an improvement";
  best.add(30, 6);
  EXPECT_EQ(best.stalled(), 2);
  best.add(40, 4.5);
  EXPECT_EQ(best.stalled(), 0);
}

TEST(BestValidations, WhatIsNoNumberIsNeverGood) {
  BestValidations best("loss", 2);
  EXPECT_FALSE(best.add(10, std::numeric_limits<double>::quiet_NaN()));
  EXPECT_FALSE(best.add(20, std::numeric_limits<double>::infinity()));
  EXPECT_EQ(best.stalled(), 2);
  EXPECT_TRUE(best.entries().empty());
}

TEST(BestValidations, GoesOn) {
  BestValidations best("loss", 1, {{10, 5}}, 2);
  EXPECT_FALSE(best.add(20, 6));
  EXPECT_EQ(best.stalled(), 3);
  EXPECT_THAT(best.entries(), ElementsAre(Entry{10, 5}));
}

TEST(BestValidations, KnowsTheBestWhenNoneIsKept) {
  BestValidations best("loss", 0);
  EXPECT_TRUE(best.add(10, 5));
  EXPECT_FALSE(best.add(20, 6));
}

}  // namespace
}  // namespace nmt
