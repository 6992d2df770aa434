// A set of parameters: names, shapes and roles.
// Initial values: their bounds and moments, and what they depend on.
#include "nn/weights/parameters.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <span>
#include <stdexcept>

#include "common/error.h"
#include "nn/three_parameters.h"

namespace nmt {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

class ParametersTest : public testing::ThreeParameters {};

TEST_F(ParametersTest, EntriesStandInTheOrderOfAdding) {
  const auto& entries = parameters_.entries();
  ASSERT_EQ(entries.size(), 3U);
  EXPECT_EQ(entries[0].parameter.name, "matrix");
  EXPECT_THAT(entries[0].shape(), ElementsAre(3, 5));
  EXPECT_THAT(entries[1].shape(), ElementsAre(70));
  EXPECT_THAT(entries[2].shape(), ElementsAre(1, 4)) << "a matrix of one row is not a vector";
  EXPECT_EQ(parameters_.count(), 15 + 70 + 4);
}

TEST_F(ParametersTest, ANameThatIsAddedTwiceIsAMistake) {
  EXPECT_THAT([&] { parameters_.add("vector", ParameterSpec::vector(70)); },
              ThrowsMessage<std::logic_error>(HasSubstr("'vector'")));
  EXPECT_EQ(parameters_.entries().size(), 3U);
}

TEST_F(ParametersTest, AreReadInTheTypeOfTheirRole) {
  const Precision precision{.compute = DType::f32, .weights = DType::i8, .master = DType::f64};
  EXPECT_EQ(ParameterSpec::matrix(2, 2).type_in(precision), DType::i8);
  EXPECT_EQ(ParameterSpec::output_layer(2, 2).type_in(precision), DType::i8);
  EXPECT_EQ(ParameterSpec::word_table(2, 2).type_in(precision), DType::i8);
  EXPECT_EQ(ParameterSpec::position_table(2, 2).type_in(precision), DType::f32);
  EXPECT_EQ(ParameterSpec::vector(2).type_in(precision), DType::f64);
}

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

/// Expects values that are uniform in +-limit, by their bounds (reached within a percent), their mean, and
/// their variance, limit^2 / 3.
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

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::ThrowsMessage;

class FreezingTest : public ::testing::Test {
 protected:
  FreezingTest() {
    for (const char* name : {"embedding.weight", "encoder.0.weight", "encoder.0.bias", "encoder.1.weight",
                             "decoder.0.weight", "decoder.0.bias"}) {
      parameters_.add(name, ParameterSpec::vector(4));
    }
  }
  std::set<std::string> frozen(const std::vector<std::string>& patterns) {
    return frozen_parameters(parameters_, patterns);
  }

  Parameters parameters_;
};

TEST_F(FreezingTest, FindsTensorsAndPartsByNamesAndPatterns) {
  EXPECT_THAT(frozen({}), IsEmpty());
  EXPECT_THAT(frozen({"encoder"}), ElementsAre("encoder.0.bias", "encoder.0.weight", "encoder.1.weight"));
  EXPECT_THAT(frozen({"encoder.1"}), ElementsAre("encoder.1.weight"));
  EXPECT_THAT(frozen({"*.bias"}), ElementsAre("decoder.0.bias", "encoder.0.bias"));
  EXPECT_THAT(frozen({"?ecoder", "embedding.weight"}),
              ElementsAre("decoder.0.bias", "decoder.0.weight", "embedding.weight"));
  EXPECT_THAT(frozen({"[de]*coder.0.bias"}), ElementsAre("decoder.0.bias", "encoder.0.bias"));
}

TEST_F(FreezingTest, RefusesWhatNamesNothingAndWhatLeavesNothing) {
  EXPECT_THAT(
      [&] {
        frozen({"decoder", "encodr"});
      },
      ThrowsMessage<UsageError>(HasSubstr("no part and no weight 'encodr', did you mean 'encoder'?; its "
                                          "parts are decoder, embedding, encoder")));
  EXPECT_THROW(frozen({"coder"}), UsageError) << "names are whole ones";
  EXPECT_THROW(frozen({""}), UsageError);
  EXPECT_THAT(
      [&] {
        frozen({"e*", "decoder"});
      },
      ThrowsMessage<UsageError>(HasSubstr("nothing left to train")));
}

}  // namespace

}  // namespace nmt
