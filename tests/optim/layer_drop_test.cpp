// Layer drop: which layers of a Transformer are trained in an update, on all devices.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>

#include "backend/devices.h"
#include "backend/rounding.h"
#include "nn/formula_weights.h"
#include "optim/small_transformer.h"
#include "optim/update.h"

namespace nmt {
namespace {

using ::testing::DoubleNear;
using ::testing::Pointwise;

Batch some_pairs() {
  Batch batch;
  for (int i = 0; i < 8; ++i) batch.examples.push_back({i, {3 + i, 4, 5, 12}, {6, 7 + i, 8}});
  return batch;
}

class LayerDropTest : public ::testing::TestWithParam<std::string> {
 protected:
  LayerDropTest() { model_->allocate_for_training(*backend_).initialize(1); }

  std::vector<double> gradients(double rate, std::uint64_t key, std::int64_t micro_batch_tokens = 1000) {
    TrainingWeights& weights = model_->training_weights();
    backend_->zero(weights.gradients());
    Update update(*model_, workers_, testing::kFixtureSpecialTokens, {.dropout = {.layer = rate}});
    DeviceStatistics statistics(*backend_, 1);
    const Batch batch = some_pairs();
    update.gradients(update.shards(batch, micro_batch_tokens), target_tokens({batch}), statistics, {},
                     nullptr, key);
    return download_reals(*backend_, weights.gradients());
  }
  /// Returns the layers whose weights have gradients: "encoder.layers.0".
  std::set<std::string> trained() const {
    std::set<std::string> layers;
    for (const Parameters::Entry& entry : model_->parameters().entries()) {
      const std::string& name = entry.parameter.name;
      const std::vector<double> values = download_reals(*backend_, entry.parameter.gradient);
      const auto number = name.find("layers.");
      if (number != std::string::npos && std::ranges::any_of(values, [](double x) { return x != 0; }))
        layers.insert(name.substr(0, number + 8));
    }
    return layers;
  }

  const std::unique_ptr<Backend> backend_ = testing::open_device(GetParam(), 2);
  const std::unique_ptr<Model> model_ = testing::small_transformer(3);
  Workers workers_{*backend_};
};

TEST_P(LayerDropTest, TrainsTheLayersThatStay) {
  gradients(0, 1);
  EXPECT_EQ(trained().size(), 6U);
  std::set<std::set<std::string>> seen;
  for (std::uint64_t key = 0; key < 8; ++key) {
    gradients(0.999, key);
    EXPECT_EQ(trained().size(), 2U) << "one of each side";
    seen.insert(trained());
  }
  EXPECT_GT(seen.size(), 2U) << "each update has its own";
}

TEST_P(LayerDropTest, AllPartsOfAnUpdateDropTheSame) {
  const std::vector<double> whole = gradients(0.5, 3);
  EXPECT_EQ(gradients(0.5, 3), whole);
  EXPECT_THAT(gradients(0.5, 3, 12), Pointwise(DoubleNear(2e-5), whole));
}

INSTANTIATE_TEST_SUITE_P(Devices, LayerDropTest, ::testing::ValuesIn(testing::devices()),
                         [](const auto& device) { return device.param; });

}  // namespace
}  // namespace nmt
