#include "metrics/significance.h"

#include <gtest/gtest.h>

#include <cmath>

namespace nmt {
namespace {

/// Counts whose score is their sum.
class Sum final : public Metric {
 public:
  Statistics segment(std::string_view, std::span<const std::string_view>) const override { return {0}; }
  Score score(const Statistics& sum) const override { return {.name = "sum", .value = sum[0]}; }
  std::variant<float, double> resampled(std::span<const float> sum) const override { return sum[0]; }
};

SegmentCounts counts(const std::vector<double>& values) {
  SegmentCounts all;
  for (const double value : values) all.append({value});
  return all;
}

TEST(Significance, OfASystemWithItselfIsNone) {
  const SegmentCounts system = counts({1, 2, 3, 4, 5, 6});
  EXPECT_EQ(system.sum(), Statistics{21});
  EXPECT_DOUBLE_EQ(paired_bootstrap(Sum(), system, system, {.count = 99}).p_value, 0.01);
  EXPECT_DOUBLE_EQ(paired_randomization(Sum(), system, system, {.count = 99}, 0).p_value, 0.01)
      << "a difference of none is never exceeded";
}

TEST(Significance, TellsChanceFromAnAdvantage) {
  const SegmentCounts baseline = counts(std::vector<double>(40, 1)),
                      better = counts(std::vector<double>(40, 2));
  std::vector<double> mixed(40, 1);
  for (std::size_t i = 0; i < mixed.size(); ++i) mixed[i] += i % 2 == 0 ? 1 : -0.9;
  for (const std::uint64_t seed : {1, 2, 3}) {
    const Trials trials{.count = 500, .seed = seed};
    EXPECT_LT(paired_randomization(Sum(), baseline, better, trials, 0).p_value, 0.01);
    EXPECT_GT(paired_randomization(Sum(), baseline, counts(mixed), trials, 0).p_value, 0.2);
    EXPECT_LT(paired_bootstrap(Sum(), baseline, better, trials).p_value, 0.01);
    EXPECT_GT(paired_bootstrap(Sum(), baseline, counts(mixed), trials).p_value, 0.2);
  }
}

TEST(Significance, ConfidenceShrinksWithTheSpread) {
  const Confidence same = bootstrap(Sum(), counts(std::vector<double>(30, 2)), {});
  EXPECT_EQ(same.mean, 60);
  EXPECT_EQ(same.half_width, 0);
  std::vector<double> spread(30, 1);
  std::fill(spread.begin(), spread.begin() + 15, 3);
  const Confidence wide = bootstrap(Sum(), counts(spread), {});
  EXPECT_NEAR(wide.mean, 60, 1);
  EXPECT_NEAR(wide.half_width, 1.96 * std::sqrt(30.0), 2);
}

TEST(Significance, WithoutResamplesHasNoConfidence) {
  const SegmentCounts system = counts({1, 2});
  EXPECT_FALSE(paired_randomization(Sum(), system, system, {.count = 1}, 0).confidence);
  EXPECT_TRUE(paired_randomization(Sum(), system, system, {.count = 1}, 1).confidence);
}

}  // namespace
}  // namespace nmt
