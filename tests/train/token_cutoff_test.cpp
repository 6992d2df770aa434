#include "train/token_cutoff.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

namespace nmt {
namespace {

using ::testing::Each;

Batch pairs_of(std::int64_t first_id, std::int64_t count) {
  Batch batch;
  for (std::int64_t id = first_id; id < first_id + count; ++id) {
    batch.examples.push_back(
        {.id = id, .source = std::vector<int>(20, 5), .target = std::vector<int>(30, 7)});
  }
  return batch;
}

Batch cut(Batch batch, double rate, std::uint64_t key = 1) {
  cut_tokens(batch, rate, key);
  return batch;
}

TEST(TokenCutoff, CutsThisShareOfTheTokensOfTheSecondPass) {
  std::int64_t source = 0, target = 0;
  for (const Example& example : cut(pairs_of(0, 500), 0.2).examples) {
    EXPECT_THAT(example.source, Each(5));
    EXPECT_THAT(example.target, Each(7));
    source += std::ranges::count(example.other_source, kCutToken);
    target += std::ranges::count(example.other_target, kCutToken);
    EXPECT_EQ(
        std::ranges::count(example.other_source, 5) + std::ranges::count(example.other_source, kCutToken),
        20);
  }
  EXPECT_NEAR(static_cast<double>(source) / (500 * 20), 0.2, 0.02);
  EXPECT_NEAR(static_cast<double>(target) / (500 * 30), 0.2, 0.02);
}

TEST(TokenCutoff, TheRatesZeroAndOneCutNothingAndAll) {
  EXPECT_THAT(cut(pairs_of(0, 1), 0).examples[0].other_target, Each(7));
  EXPECT_THAT(cut(pairs_of(0, 1), 1).examples[0].other_source, Each(kCutToken));
}

TEST(TokenCutoff, DependsOnTheUpdateAndTheExampleAlone) {
  const Example one = cut(pairs_of(3, 1), 0.5).examples[0];
  const Batch many = cut(pairs_of(0, 6), 0.5);
  EXPECT_EQ(many.examples[3].other_source, one.other_source);
  EXPECT_EQ(many.examples[3].other_target, one.other_target);
  EXPECT_NE(many.examples[4].other_target, one.other_target);
  EXPECT_NE(cut(pairs_of(3, 1), 0.5, 2).examples[0].other_target, one.other_target);
}

}  // namespace
}  // namespace nmt
