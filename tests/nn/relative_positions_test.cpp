#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "nn/registry.h"
#include "nn/transformer/layers.h"

namespace nmt {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

/// Returns the distances at which another bucket begins, from the query's own on.
std::vector<std::int64_t> begins(const std::vector<std::int32_t>& buckets, int step) {
  std::vector<std::int64_t> found;
  const std::int64_t farthest = std::ssize(buckets) / 2;
  for (std::int64_t distance = 1; distance <= farthest; ++distance) {
    const auto place = static_cast<std::size_t>(farthest + step * distance);
    if (buckets[place] != buckets[place - static_cast<std::size_t>(step)]) found.push_back(distance);
  }
  return found;
}

// From T5Attention._relative_position_bucket of transformers 5.24, with 32 buckets up to a distance of 128.
TEST(RelativePositionsTest, BucketsAreThoseOfT5) {
  const std::vector<std::int32_t> both = distance_buckets(32, 128, true);
  ASSERT_EQ(both.size(), 257);
  EXPECT_EQ(both[128], 0);
  EXPECT_EQ(both[127], 1);
  EXPECT_EQ(both[129], 17);
  EXPECT_EQ(both.front(), 15);
  EXPECT_EQ(both.back(), 31);
  const auto first_of_both = ElementsAre(1, 2, 3, 4, 5, 6, 7, 8, 12, 16, 23, 32, 46, 64, 91);
  EXPECT_THAT(begins(both, 1), first_of_both);
  EXPECT_THAT(begins(both, -1), first_of_both);
  const std::vector<std::int32_t> causal = distance_buckets(32, 128, false);
  EXPECT_EQ(causal.front(), 31);
  EXPECT_EQ(causal.back(), 0);
  EXPECT_THAT(begins(causal, 1), ElementsAre());
  EXPECT_THAT(begins(causal, -1), ElementsAre(1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 19, 21,
                                              24, 27, 31, 35, 40, 46, 52, 59, 67, 77, 87, 99, 113));
}

// f32 logarithms round 1000 / 500 down to a bucket that exact ones would exceed, or the other way round.
TEST(RelativePositionsTest, TheLastBucketIsForAllThatIsFarther) {
  for (const std::int64_t farthest : {5, 7, 100, 1000, 1024}) {
    EXPECT_EQ(distance_buckets(8, farthest, true).back(), 7) << farthest;
    EXPECT_EQ(distance_buckets(8, farthest, false).front(), 7) << farthest;
  }
}

std::string complaint_about(ModelSettings changes) {
  ModelSettings settings = {{"type", "transformer"}, {"source_vocabulary", "9"}, {"target_vocabulary", "9"}};
  changes.merge(settings);
  try {
    ModelRegistry::instance().make(ModelRegistry::instance().complete(changes));
  } catch (const std::exception& error) {
    return error.what();
  }
  return "";
}

TEST(RelativePositionsTest, SettingsWithoutEffectAreRejected) {
  EXPECT_EQ(complaint_about({{"positions", "relative"}, {"relative_buckets", "8"}}), "");
  EXPECT_THAT(complaint_about({{"relative_buckets", "8"}}),
              HasSubstr("relative_buckets is for positions 'relative' alone"));
  EXPECT_THAT(complaint_about({{"positions", "relative"}, {"relative_distance", "16"}}),
              HasSubstr("relative_distance 16 must be above half of relative_buckets 32"));
  EXPECT_THAT(complaint_about({{"positions", "relative"}, {"position_offset", "2"}}),
              HasSubstr("position_offset 2 has no effect with positions 'relative'"));
}

TEST(RelativePositionsTest, HeadsHaveTheirSize) {
  EXPECT_EQ(complaint_about({{"heads", "7"}, {"head_size", "10"}}), "");
  EXPECT_THAT(complaint_about({{"heads", "7"}}), HasSubstr("d_model 512 is not divisible by heads 7"));
  EXPECT_THAT(complaint_about({{"attention_scale", "sqrt"}}), HasSubstr("or inverse_sqrt"));
}

}  // namespace
}  // namespace nmt
