#include <gtest/gtest.h>

#include "translate/scoring/scorer.h"

namespace nmt {
namespace {

using Batches = std::vector<std::vector<std::size_t>>;

TEST(BatchesByLengthTest, LongestFirstEqualOnesInOrder) {
  EXPECT_EQ(batches_by_length({2, 5, 2, 7}, 100), (Batches{{3, 1, 0, 2}}));
}

TEST(BatchesByLengthTest, PaddedBatchesStayWithinTheBudget) {
  EXPECT_EQ(batches_by_length({4, 3, 3, 1, 1, 1}, 8), (Batches{{0, 1}, {2, 3}, {4, 5}}));
  EXPECT_EQ(batches_by_length({4, 3, 3, 1, 1, 1}, 7), (Batches{{0}, {1, 2}, {3, 4, 5}}));
}

TEST(BatchesByLengthTest, ASentenceBeyondTheBudgetIsAlone) {
  EXPECT_EQ(batches_by_length({9, 1, 1}, 2), (Batches{{0}, {1, 2}}));
}

TEST(BatchesByLengthTest, WorkersShareTheBudget) {
  const std::vector<std::int64_t> lengths(1000, 1);
  EXPECT_EQ(batches_by_length(lengths, 100, {.count = 1, .least_share = 10}).front().size(), 100U);
  EXPECT_EQ(batches_by_length(lengths, 100, {.count = 4, .least_share = 10}).front().size(), 25U);
  EXPECT_EQ(batches_by_length(lengths, 100, {.count = 50, .least_share = 10}).front().size(), 10U);
  EXPECT_EQ(batches_by_length(lengths, 1000, {.count = 2, .least_share = 10}).front().size(), 125U)
      << "so that each finds several";
}

TEST(BatchesByLengthTest, NothingGivesNothing) {
  EXPECT_EQ(batches_by_length({}, 5), Batches{});
}

}  // namespace
}  // namespace nmt
