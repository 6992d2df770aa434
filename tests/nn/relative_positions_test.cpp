#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "backend/factory.h"
#include "nn/registry.h"
#include "nn/transformer/score_biases.h"

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

// From get_slopes() of the published implementation of ALiBi.
TEST(RelativePositionsTest, SlopesAreThoseOfAlibi) {
  EXPECT_THAT(linear_slopes(1), ElementsAre(1.0 / 256));
  EXPECT_THAT(linear_slopes(2), ElementsAre(1.0 / 16, 1.0 / 256));
  EXPECT_THAT(linear_slopes(3), ElementsAre(1.0 / 16, 1.0 / 256, 0.25));
  EXPECT_THAT(linear_slopes(4), ElementsAre(0.25, 1.0 / 16, 1.0 / 64, 1.0 / 256));
  EXPECT_THAT(linear_slopes(6), ElementsAre(0.25, 1.0 / 16, 1.0 / 64, 1.0 / 256, 0.5, 0.125));
}

/// Returns the bias of a head at a distance.
double bias_at(Backend& backend, const ScoreBias& bias, std::int64_t distance, std::size_t head) {
  std::vector<std::int32_t> buckets(static_cast<std::size_t>(bias.buckets.columns()));
  backend.download(buckets.data(), bias.buckets);
  const std::vector<double> table = download_reals(backend, bias.table.value);
  const std::int32_t bucket = buckets.at(static_cast<std::size_t>(bias.buckets.columns() / 2 + distance));
  return table.at(static_cast<std::size_t>(bucket * bias.table.value.columns()) + head);
}

TEST(RelativePositionsTest, AlibiHasABiasForEveryDistance) {
  const auto backend = open_backend({.device = "reference"});
  Workers workers(*backend);
  const Graph g(workers.whole());
  Parameters parameters;
  const TransformerConfig config(ModelRegistry::instance().complete({{"type", "transformer"},
                                                                     {"source_vocabulary", "9"},
                                                                     {"target_vocabulary", "9"},
                                                                     {"positions", "alibi"},
                                                                     {"heads", "2"}}));
  const auto biases = score_biases(parameters, "decoder", config);
  const ScoreBias few = biases->at_least(g, 3), many = biases->at_least(g, 2000);
  EXPECT_TRUE(parameters.entries().empty());
  for (const std::int64_t distance : {0, 1, -1, 511, -511}) {
    for (std::size_t head = 0; head < 2; ++head) {
      const double expected = -static_cast<double>(std::abs(distance)) / (head == 0 ? 16 : 256);
      EXPECT_EQ(bias_at(*backend, few, distance, head), expected) << distance;
      EXPECT_EQ(bias_at(*backend, many, distance, head), expected) << distance;
    }
  }
  EXPECT_EQ(bias_at(*backend, many, -1999, 0), -1999.0 / 16);
  EXPECT_EQ(biases->at_least(g, 2000).table.value.raw(), many.table.value.raw());
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
  EXPECT_THAT(complaint_about({{"max_relative_positions", "8"}}),
              HasSubstr("max_relative_positions is for positions 'shaw' alone"));
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
