#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "data/batches/example_order.h"

namespace nmt {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

Example pair_of(std::int64_t id, std::size_t source, std::size_t target) {
  return {id, std::vector<int>(source, 5), std::vector<int>(target, 6)};
}

std::vector<std::int64_t> order_of(std::vector<Example> examples, std::int64_t budget) {
  sort_by_lengths(examples, budget);
  std::vector<std::int64_t> ids;
  ids.reserve(examples.size());
  for (const Example& example : examples) ids.push_back(example.id);
  return ids;
}

TEST(LengthOrder, LongestFirstKeepsTheOrderOfEqualOnes) {
  EXPECT_THAT(longest_first({3, 9, 3, 0, 9, 4}), ElementsAre(1, 4, 5, 0, 2, 3));
  EXPECT_THAT(longest_first({}), IsEmpty());
}

TEST(LengthOrder, OfAFewIsThatOfTheLongerSide) {
  const std::vector<Example> examples = {pair_of(0, 9, 2), pair_of(1, 1, 5), pair_of(2, 3, 3),
                                         pair_of(3, 2, 9), pair_of(4, 3, 2)};
  EXPECT_THAT(order_of(examples, 1000), ElementsAre(2, 4, 1, 3, 0));
  EXPECT_THAT(order_of({}, 1000), IsEmpty());
}

// 80 tokens and a budget of 1 make two strips of about 40 tokens: first relatively short sources in ascending
// order of length, then the others in descending order.
TEST(LengthOrder, OfManyGoesUpAndDownInStripsOfSimilarRatios) {
  std::vector<Example> examples;
  for (std::int64_t i = 0; i < 8; ++i) {
    const auto length = static_cast<std::size_t>(3 + i % 4 * 4);
    examples.push_back(i % 2 == 0 ? pair_of(i, length, 1) : pair_of(i, 1, length));
  }
  EXPECT_THAT(order_of(examples, 1), ElementsAre(1, 3, 7, 2, 6, 5, 0, 4));
}

}  // namespace
}  // namespace nmt
