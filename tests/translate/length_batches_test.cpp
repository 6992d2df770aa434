#include "translate/length_batches.h"

#include <gtest/gtest.h>

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

TEST(BatchesByLengthTest, NothingGivesNothing) {
  EXPECT_EQ(batches_by_length({}, 5), Batches{});
}

}  // namespace
}  // namespace nmt
