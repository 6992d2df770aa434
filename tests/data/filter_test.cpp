#include "data/text/filter.h"

#include <gtest/gtest.h>

namespace nmt {
namespace {

Example pair_of(std::size_t source, std::size_t target) {
  return {0, std::vector<int>(source, 5), std::vector<int>(target, 6)};
}

TEST(Filter, KeepsPairsUpToItsLimits) {
  const Filter filter{.max_length = 6, .max_ratio = 2};
  Dropped dropped;
  EXPECT_TRUE(keep(pair_of(1, 1), filter, dropped));
  EXPECT_TRUE(keep(pair_of(6, 6), filter, dropped));
  EXPECT_TRUE(keep(pair_of(3, 6), filter, dropped));
  EXPECT_TRUE(keep(pair_of(6, 3), filter, dropped));
  EXPECT_TRUE(keep(pair_of(4, 4), filter, dropped, true));
  EXPECT_EQ(dropped.total(), 0);
}

TEST(Filter, CountsTheFirstReasonThatApplies) {
  const Filter filter{.max_length = 6, .max_ratio = 2, .drop_identical = true};
  Dropped dropped;
  const auto counts = [&](std::size_t source, std::size_t target, bool identical) {
    dropped = {};
    EXPECT_FALSE(keep(pair_of(source, target), filter, dropped, identical));
    EXPECT_EQ(dropped.total(), 1);
    return dropped;
  };
  EXPECT_EQ(counts(0, 9, false).empty, 1);
  EXPECT_EQ(counts(9, 0, false).empty, 1);
  EXPECT_EQ(counts(7, 6, false).too_long, 1);
  EXPECT_EQ(counts(1, 7, false).too_long, 1);
  EXPECT_EQ(counts(3, 7, false).too_long, 1);
  EXPECT_EQ(counts(2, 5, false).uneven, 1);
  EXPECT_EQ(counts(5, 2, false).uneven, 1);
  EXPECT_EQ(counts(4, 4, true).identical, 1);
  EXPECT_EQ(counts(7, 7, true).too_long, 1);
}

TEST(Filter, OfTargetsAloneDoesNotLookAtSources) {
  const Filter filter{.max_length = 6, .max_ratio = 2, .has_source = false};
  Dropped dropped;
  EXPECT_TRUE(keep(pair_of(0, 6), filter, dropped));
  EXPECT_FALSE(keep(pair_of(0, 7), filter, dropped));
  EXPECT_FALSE(keep(pair_of(0, 0), filter, dropped));
  EXPECT_EQ(dropped.too_long, 1);
  EXPECT_EQ(dropped.empty, 1);
}

TEST(Filter, DescribesWhatWasDropped) {
  const Filter filter{.max_length = 256, .max_ratio = 2.5};
  EXPECT_EQ(description({}, filter), "");
  EXPECT_EQ(description({.too_long = 12}, filter), "12 longer than 256 tokens");
  Dropped all{.empty = 1, .too_long = 2, .uneven = 3, .identical = 4, .duplicate = 5};
  all += {.empty = 10, .too_long = 20, .uneven = 30, .identical = 40, .duplicate = 50};
  EXPECT_EQ(all.total(), 165);
  EXPECT_EQ(
      description(all, filter),
      "22 longer than 256 tokens, 11 with an empty side, 33 with sides of a ratio above 2.5, 44 with two "
      "identical sides, 55 that occur earlier");
  EXPECT_EQ(description({.empty = 3, .duplicate = 1}, {.has_source = false}),
            "3 empty, 1 that occurs earlier");
}

}  // namespace
}  // namespace nmt
