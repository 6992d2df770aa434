// Initial values: their bounds and moments, and what they depend on.
#include "nn/weights/initializer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <span>

namespace nmt {
namespace {

using ::testing::Each;

double mean(std::span<const double> values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

double variance(std::span<const double> values) {
  double sum = 0;
  for (const double value : values) sum += value * value;
  return sum / static_cast<double>(values.size()) - std::pow(mean(values), 2);
}

double largest(std::span<const double> values) {
  double most = 0;
  for (const double value : values) most = std::max(most, std::abs(value));
  return most;
}

/// They are uniform in +-limit: bounds (reached within a percent), mean, and variance limit^2 / 3.
void expect_uniform(std::span<const double> values, double limit) {
  EXPECT_LE(largest(values), limit);
  EXPECT_GT(largest(values), 0.99 * limit);
  EXPECT_NEAR(mean(values), 0, 5 * limit / std::sqrt(3.0 * static_cast<double>(values.size())));
  EXPECT_NEAR(variance(values), limit * limit / 3, 0.03 * limit * limit / 3);
}

TEST(Initializer, ZerosAndOnes) {
  EXPECT_THAT(initial_values(ParameterSpec::position_table(2, 3, Initializer::zeros), 1, 0),
              ::testing::ElementsAre(0, 0, 0, 0, 0, 0));
  EXPECT_THAT(initial_values(ParameterSpec::vector(5, Initializer::ones), 1, 0),
              ::testing::ElementsAre(1, 1, 1, 1, 1));
}

TEST(Initializer, GlorotIsUniformWithinItsBound) {
  const std::vector<double> values = initial_values(ParameterSpec::matrix(96, 160), 1, 0);
  expect_uniform(values, std::sqrt(6.0 / (96 + 160)));
  EXPECT_EQ(initial_values(ParameterSpec::output_layer(96, 160), 1, 0), values);
}

TEST(Initializer, QueryKeyAndValueAreEachAGlorotMatrixOfTheirOwn) {
  const std::vector<double> values = initial_values(ParameterSpec::matrix(128, 128, 3), 1, 0);
  constexpr std::size_t kPart = 128UL * 128UL;
  const std::span<const double> all(values);
  for (std::size_t i = 0; i < 3; ++i) expect_uniform(all.subspan(i * kPart, kPart), std::sqrt(6.0 / 256));
  EXPECT_FALSE(std::equal(all.begin(), all.begin() + kPart, all.begin() + kPart));
}

TEST(Initializer, EmbeddingsAreNormal) {
  const std::vector<double> values = initial_values(ParameterSpec::word_table(300, 64), 1, 0);
  const double deviation = 1 / std::sqrt(64.0);
  EXPECT_NEAR(mean(values), 0, 5 * deviation / std::sqrt(300.0 * 64));
  EXPECT_NEAR(std::sqrt(variance(values)), deviation, 0.03 * deviation);
  const auto within = [&](double deviations) {
    return static_cast<double>(
               std::count_if(values.begin(), values.end(),
                             [&](double x) { return std::abs(x) < deviations * deviation; })) /
           static_cast<double>(values.size());
  };
  EXPECT_NEAR(within(1), 0.6827, 0.02);
  EXPECT_NEAR(within(2), 0.9545, 0.01);
}

TEST(Initializer, ValuesDependOnSeedAndNumberAlone) {
  for (const ParameterSpec& spec :
       {ParameterSpec::matrix(9, 5), ParameterSpec::matrix(3, 5, 3), ParameterSpec::word_table(9, 5)}) {
    const auto draw = [&](std::uint64_t seed, std::uint32_t number) {
      return initial_values(spec, seed, number);
    };
    EXPECT_EQ(draw(1, 0), draw(1, 0));
    EXPECT_NE(draw(1, 0), draw(2, 0));
    EXPECT_NE(draw(1, 0), draw(1, 1));
    EXPECT_NE(draw(1, 0), draw(1 + (std::uint64_t{1} << 32), 0)) << "all 64 bits of the seed count";
  }
}

}  // namespace
}  // namespace nmt
