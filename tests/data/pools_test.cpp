#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "data/batches/example_order.h"

namespace nmt {
namespace {

using ::testing::ElementsAre;

std::vector<std::int64_t> sizes(const Pools& pools) {
  std::vector<std::int64_t> sizes;
  for (std::int64_t i = 0; i < pools.count(); ++i) sizes.push_back(pools.begin(i + 1) - pools.begin(i));
  return sizes;
}

TEST(Pools, AreAsFewAndAsEvenAsCanBe) {
  EXPECT_THAT(sizes({1, 100, 100}), ElementsAre(1));
  EXPECT_THAT(sizes({100, 100, 100}), ElementsAre(100));
  EXPECT_THAT(sizes({101, 100, 100}), ElementsAre(50, 51));
  EXPECT_THAT(sizes({250, 100, 100}), ElementsAre(83, 83, 84));
}

TEST(Pools, GrowFromTheFirst) {
  EXPECT_THAT(sizes({240, 10, 80}), ElementsAre(10, 20, 40, 56, 57, 57));
  EXPECT_THAT(sizes({150, 10, 80}), ElementsAre(10, 20, 40, 80));
}

TEST(Pools, DoNotLeaveLittleForTheLast) {
  EXPECT_THAT(sizes({20, 10, 80}), ElementsAre(20));
  EXPECT_THAT(sizes({21, 10, 80}), ElementsAre(10, 11));
  EXPECT_THAT(sizes({50, 10, 80}), ElementsAre(10, 40));
  EXPECT_THAT(sizes({51, 10, 80}), ElementsAre(10, 20, 21));
}

TEST(Pools, CoverAnyCorpus) {
  for (const std::int64_t pairs : {1LL, 1'000LL, 777'312LL, 4'500'000LL, 10'000'000'000LL}) {
    const Pools pools(pairs, 32768, 524288);
    EXPECT_EQ(pools.begin(0), 0);
    EXPECT_EQ(pools.begin(pools.count()), pairs);
    for (const std::int64_t size : sizes(pools)) {
      ASSERT_GT(size, 0);
      ASSERT_LE(size, 524288);
    }
  }
}

}  // namespace
}  // namespace nmt
