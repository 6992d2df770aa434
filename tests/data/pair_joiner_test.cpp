#include "data/packed/pair_joiner.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "data/small_vocabulary.h"
#include "data/text/context.h"

namespace nmt {
namespace {

using ::testing::ElementsAre;

class PairJoinerTest : public ::testing::Test {
 protected:
  PairJoiner joiner(std::int64_t context, std::int64_t max_length = 100) const {
    return {context, {.source = words_, .target = words_, .filter = {.max_length = max_length}}};
  }

  Vocabulary words_ = small_vocabulary();
  int separator_ = separator_of(words_);
};

/// Returns the examples of pairs with these numbers, each with its number as its only id on both sides.
std::vector<Example> examples_of(PairJoiner joiner, const std::vector<int>& numbers) {
  std::vector<Example> examples;
  const auto take = [&](std::optional<Example> example) {
    if (example) examples.push_back(std::move(*example));
  };
  for (const int number : numbers)
    take(joiner.add({.id = number, .source = {number}, .target = {number}}, number));
  take(joiner.finish());
  return examples;
}

std::vector<int> numbers_to(int last) {
  std::vector<int> numbers;
  for (int i = 100; i <= last; ++i) numbers.push_back(i);
  return numbers;
}

TEST_F(PairJoinerTest, JoinsEachPairOnceWithAnyNumberBeforeIt) {
  const std::vector<Example> examples = examples_of(joiner(2), numbers_to(3099));
  std::map<std::size_t, int> sizes;
  std::vector<int> all;
  for (const Example& example : examples) {
    ++sizes[(example.source.size() + 1) / 2];
    EXPECT_EQ(example.source, example.target);
    for (std::size_t i = 0; i < example.source.size(); ++i) {
      if (i % 2 == 0) {
        all.push_back(example.source[i]);
        continue;
      }
      EXPECT_EQ(example.source[i], separator_);
    }
  }
  EXPECT_EQ(all, numbers_to(3099));
  ASSERT_EQ(sizes.size(), 3U);
  for (const auto& [pairs, count] : sizes) EXPECT_NEAR(count, 500, 60) << pairs;
}

TEST_F(PairJoinerTest, DoesNotJoinAcrossAMissingPair) {
  for (const Example& example : examples_of(joiner(100), {100, 101, 103, 104, 200}))
    EXPECT_FALSE(std::ranges::count(example.source, 101) > 0 && std::ranges::count(example.source, 103) > 0);
  EXPECT_EQ(examples_of(joiner(100), {100, 102, 104}).size(), 3U);
}

TEST_F(PairJoinerTest, NoExampleIsTooLong) {
  std::size_t longest = 0;
  for (const Example& example : examples_of(joiner(50, 7), numbers_to(999)))
    longest = std::max(longest, example.source.size());
  EXPECT_EQ(longest, 7U);
}

TEST_F(PairJoinerTest, KeepsLinksAndWeights) {
  PairJoiner joined = joiner(kMostContext);
  // The number of the first pair decides how many are joined: here three or more.
  std::int64_t number = 1;
  while (examples_of(joiner(kMostContext),
                     {static_cast<int>(number), static_cast<int>(number) + 1, static_cast<int>(number) + 2})
             .size() > 1)
    ++number;
  EXPECT_FALSE(joined.add({.source = {7, 8}, .target = {9}, .links = {{0, 1}}, .weights = {2, 3}}, number));
  EXPECT_FALSE(
      joined.add({.source = {5}, .target = {6, 4}, .links = {{1, 0}}, .weights = {.5F}}, number + 1));
  EXPECT_FALSE(joined.add({.source = {3}, .target = {3}}, number + 2));
  const std::optional<Example> example = joined.finish();
  ASSERT_TRUE(example);
  EXPECT_THAT(example->source, ElementsAre(7, 8, separator_, 5, separator_, 3));
  EXPECT_THAT(example->target, ElementsAre(9, separator_, 6, 4, separator_, 3));
  EXPECT_THAT(example->links, ElementsAre(Link{0, 1}, Link{3, 3}));
  EXPECT_THAT(example->weights, ElementsAre(2, 3, .5F, .5F, .5F, 1, 1));
  EXPECT_FALSE(joined.finish());
}

}  // namespace
}  // namespace nmt
