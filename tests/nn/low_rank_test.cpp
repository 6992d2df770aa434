// Updates of low rank: what products read, and gradients, compared with those of a model that is trained as a
// whole.
#include "nn/weights/low_rank.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>

#include "backend/devices.h"
#include "nn/formula_weights.h"
#include "optim/update.h"

namespace nmt {
namespace {

using ::testing::DoubleNear;
using ::testing::Pointwise;

constexpr LowRankSettings kRankTwo{2, 3};

const nlohmann::json kSmallTransformer = {{"d_model", 8},
                                          {"d_ff", 12},
                                          {"heads", 2},
                                          {"encoder_layers", 1},
                                          {"decoder_layers", 1},
                                          {"max_positions", 6},
                                          {"activation", "gelu"},
                                          {"positions", "relative"},
                                          {"source_vocabulary", 9},
                                          {"target_vocabulary", 9}};

/// A model with frozen weights and random updates.
class LowRankTest : public ::testing::TestWithParam<std::string> {
 protected:
  LowRankTest() {
    low_->allocate_for_low_rank(*backend_, kRankTwo);
    for (const Parameters::Entry& entry : low_->parameters().entries())
      assign(*backend_, entry, testing::formula_weight(entry, 1, ""));
    weights().initialize(1);
  }

  TrainingWeights& weights() { return low_->training_weights(); }
  const Parameters::Entry& update(const std::string& name) {
    return *std::ranges::find(weights().parameters().entries(), name,
                              [](const Parameters::Entry& entry) { return entry.parameter.name; });
  }
  std::vector<double> values(const std::string& name) {
    return download_reals(*backend_, TrainingWeights::span(weights().values(), update(name)));
  }
  void set_all_updates() {
    std::mt19937 generator(3);
    std::normal_distribution<double> normal(0, 0.3);
    std::vector<double> values(static_cast<std::size_t>(weights().values().size()));
    for (double& value : values) value = normal(generator);
    upload_reals(*backend_, weights().values(), values);
    weights().values_changed();
  }

  /// Returns W + alpha / rank * b^T a for the formula's W.
  std::vector<double> merged(const Parameters::Entry& entry) {
    std::vector<double> sum = testing::formula_weight(entry, 1, "");
    if (!has_low_rank_update(entry)) return sum;
    const std::vector<double> a = values(low_rank_a(entry.parameter.name)),
                              b = values(low_rank_b(entry.parameter.name));
    const std::int64_t in = entry.columns, out = entry.rows / entry.parts;
    for (std::int64_t row = 0; row < entry.rows; ++row)
      for (std::int64_t r = row / out * kRankTwo.rank; r < (row / out + 1) * kRankTwo.rank; ++r)
        for (std::int64_t i = 0; i < in; ++i)
          sum[static_cast<std::size_t>(row * in + i)] += kRankTwo.scale() *
                                                         b[static_cast<std::size_t>(r * out + row % out)] *
                                                         a[static_cast<std::size_t>(r * in + i)];
    return sum;
  }
  void expect_merged() {
    for (const Parameters::Entry& entry : low_->parameters().entries())
      EXPECT_THAT(download_reals(*backend_, entry.parameter.value),
                  Pointwise(DoubleNear(tolerance_), merged(entry)))
          << entry.parameter.name;
  }

  /// Computes the loss of an update of a model, and its gradients.
  double loss(Model& model) {
    Workers workers(*backend_);
    Update update(model, workers, testing::kFixtureSpecialTokens, {{0.2, 0.2, 0.2}, 0.1});
    DeviceStatistics statistics(*backend_, 1);
    const std::vector<Batch> batches = {{{{4, {5, 3, 8}, {6, 4}}, {9, {7}, {3, 3, 5}}}},
                                        {{{2, {4, 4}, {7}}}}};
    update.gradients({batches}, target_tokens(batches), statistics);
    return statistics.read().loss;
  }

  std::unique_ptr<Backend> backend_ = testing::open_device(GetParam());
  const double tolerance_ = backend_->precision().sum == DType::f64 ? 1e-12 : 1e-5;
  std::unique_ptr<Model> low_ = ModelRegistry::instance().make(testing::settings_of(kSmallTransformer));
};

TEST_P(LowRankTest, BeginsAsTheModel) {
  expect_merged();
  EXPECT_THAT(values("encoder.layers.0.linear1.weight.lora_b"), ::testing::Each(0.0));
  EXPECT_NE(values("encoder.layers.0.linear1.weight.lora_a")[0], 0);
}

TEST_P(LowRankTest, IsForMatricesOfLinearLayers) {
  std::set<std::string> names;
  for (const Parameters::Entry& entry : weights().parameters().entries()) names.insert(entry.parameter.name);
  EXPECT_TRUE(names.contains("decoder.layers.0.multihead_attn.in_proj_weight.lora_a"));
  EXPECT_FALSE(names.contains("embedding.weight.lora_a"));
  const Parameters::Entry& b = update("decoder.layers.0.multihead_attn.in_proj_weight.lora_b");
  EXPECT_EQ(b.rows, 3 * kRankTwo.rank) << "queries, keys and values have updates of their own";
  EXPECT_EQ(b.columns, 8);
}

TEST_P(LowRankTest, ProductsReadTheSum) {
  set_all_updates();
  expect_merged();
}

TEST_P(LowRankTest, GradientsAreThoseOfTheWholeMatrixTimesTheOtherFactor) {
  if (testing::is_emulated(*backend_)) GTEST_SKIP() << "too slow";
  set_all_updates();
  const auto whole = ModelRegistry::instance().make(testing::settings_of(kSmallTransformer));
  whole->allocate_for_training(*backend_);
  for (const Parameters::Entry& entry : whole->parameters().entries())
    assign(*backend_, entry, merged(entry));
  whole->training_weights().values_changed();
  const double tolerance = backend_->precision().sum == DType::f64 ? 1e-12 : 1e-4;
  EXPECT_NEAR(loss(*low_), loss(*whole), tolerance * 10);
  for (const Parameters::Entry& entry : whole->parameters().entries()) {
    if (!has_low_rank_update(entry)) continue;
    SCOPED_TRACE(entry.parameter.name);
    const std::string name_a = low_rank_a(entry.parameter.name), name_b = low_rank_b(entry.parameter.name);
    const std::vector<double> a = values(name_a), b = values(name_b);
    const std::vector<double> gradient = download_reals(*backend_, entry.parameter.gradient);
    std::vector<double> d_a(a.size()), d_b(b.size());
    const std::int64_t in = entry.columns, out = entry.rows / entry.parts;
    for (std::int64_t row = 0; row < entry.rows; ++row) {
      for (std::int64_t r = row / out * kRankTwo.rank; r < (row / out + 1) * kRankTwo.rank; ++r) {
        const auto of_b = static_cast<std::size_t>(r * out + row % out);
        for (std::int64_t i = 0; i < in; ++i) {
          const double g = kRankTwo.scale() * gradient[static_cast<std::size_t>(row * in + i)];
          const auto of_a = static_cast<std::size_t>(r * in + i);
          d_a[of_a] += b[of_b] * g;
          d_b[of_b] += a[of_a] * g;
        }
      }
    }
    EXPECT_THAT(download_reals(*backend_, update(name_a).parameter.gradient),
                Pointwise(DoubleNear(tolerance), d_a));
    EXPECT_THAT(download_reals(*backend_, update(name_b).parameter.gradient),
                Pointwise(DoubleNear(tolerance), d_b));
  }
}

TEST(HighestRank, IsTheSmallerSideOfTheLargestMatrix) {
  Parameters parameters;
  parameters.add("words", ParameterSpec::word_table(100, 100));
  EXPECT_EQ(highest_rank(parameters), 0);
  parameters.add("wide", ParameterSpec::matrix(3, 50));
  parameters.add("three_parts", ParameterSpec::matrix(4, 8, 3));
  EXPECT_EQ(highest_rank(parameters), 4);
}

TEST(LowRankSettings, AreRead) {
  EXPECT_EQ(parse_low_rank("rank=16"), (LowRankSettings{16, 16}));
  EXPECT_EQ(parse_low_rank("alpha=8,rank=4"), (LowRankSettings{4, 8}));
  EXPECT_EQ(parse_low_rank(format_low_rank({4, 0.5})), (LowRankSettings{4, 0.5}));
  for (const char* text :
       {"", "16", "rank", "rank=", "rank=0", "rank=-1", "rank=1.5", "rank=4,alpha=0", "rank=4,alpha=inf",
        "rank=4,alpha=1e30", "rank=4,alpha=1e-30", "rank=4,alpha=nan", "rank=4,", ",rank=4",
        "rank=4,,alpha=2", "rank=99999999", "rank=4,rank=5", "rank=4,beta=1", "rank=4 alpha=2"})
    EXPECT_EQ(parse_low_rank(text), std::nullopt) << text;
}

INSTANTIATE_TEST_SUITE_P(Devices, LowRankTest, ::testing::ValuesIn(testing::devices()),
                         [](const auto& device) { return device.param; });

}  // namespace
}  // namespace nmt
