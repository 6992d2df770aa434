// Ten updates without dropout, compared with the reference: losses, gradient norms, weights, and the
// translations of the trained weights.
#include <gtest/gtest.h>

#include <cstring>

#include "backend/devices.h"
#include "data/batches/batches.h"
#include "nn/formula_weights.h"
#include "optim/optimizer.h"
#include "optim/schedule.h"
#include "optim/update.h"
#include "translate/search/search.h"

namespace nmt {
namespace {

std::vector<double> decode_base64(const std::string& text) {
  static const std::string alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string bytes;
  unsigned bits = 0;
  int count = 0;
  for (const char c : text) {
    if (c == '=') break;
    bits = bits << 6 | static_cast<unsigned>(alphabet.find(c));
    count += 6;
    if (count >= 8) bytes.push_back(static_cast<char>(bits >> (count -= 8) & 0xFF));
  }
  std::vector<double> values(bytes.size() / sizeof(double));
  std::memcpy(values.data(), bytes.data(), bytes.size());
  return values;
}

/// The keys' part of an in_proj_bias has a gradient of zero, because softmax does not depend on it.
bool is_key_bias(const Parameters::Entry& entry, std::size_t i) {
  const auto d = static_cast<std::size_t>(entry.columns / 3);
  return entry.parameter.name.ends_with("in_proj_bias") && i >= d && i < 2 * d;
}

void expect_same_movement(const TrainingWeights& weights, const nlohmann::json& expected, double gain,
                          double tolerance) {
  for (const Parameters::Entry& entry : weights.parameters().entries()) {
    const std::vector<double> start = testing::formula_weight(entry, gain);
    const std::vector<double> end = download_reals(weights.backend(), entry.parameter.value);
    const std::vector<double> reference = decode_base64(expected.at(entry.parameter.name));
    ASSERT_EQ(end.size(), reference.size());
    double difference = 0, movement = 0;
    for (std::size_t i = 0; i < end.size(); ++i) {
      if (is_key_bias(entry, i)) continue;
      difference += std::pow(end[i] - reference[i], 2);
      movement += std::pow(reference[i] - start[i], 2);
    }
    EXPECT_LE(std::sqrt(difference), tolerance * std::sqrt(movement)) << entry.parameter.name;
  }
}

class TrainingTest : public ::testing::TestWithParam<std::string> {
 protected:
  static double loss_tolerance() { return GetParam() == "reference" ? 1e-10 : 1e-4; }
  static double weight_tolerance() { return GetParam() == "reference" ? 1e-8 : 1e-4; }

  /// Runs the updates of a case, each split into pieces of at most `piece` pairs.
  void run(const nlohmann::json& c, std::size_t piece) {
    const auto backend = testing::open_device(GetParam());
    const auto model = testing::formula_model(c["config"], c["gain"], *backend, true);
    Workers workers(*backend);
    const auto& s = c["settings"];
    DeviceStatistics statistics(*backend, 1);
    AdamOptimizer adam(model->training_weights(), {.clip_norm = s["clip_norm"]});
    Update update(*model, workers, testing::kFixtureSpecialTokens, {.label_smoothing = s["label_smoothing"]});
    for (const auto& expected : c["steps"]) {
      const std::int64_t step = expected["step"];
      const auto& batch = c["batches"][static_cast<std::size_t>(step - 1) % c["batches"].size()];
      const std::vector<Example> examples = testing::examples_of(batch["source"], batch["target"]);
      std::vector<Batch> pieces;
      for (std::size_t i = 0; i < examples.size(); ++i) {
        if (i % piece == 0) pieces.emplace_back();
        pieces.back().examples.push_back(examples[i]);
      }
      adam.zero_gradients();
      update.gradients({pieces}, target_tokens(pieces), statistics);
      const double rate =
          learning_rate({Schedule::noam, s["learning_rate"], s["warmup"], 0, c["config"]["d_model"]}, step);
      EXPECT_NEAR(rate, expected["rate"], 1e-12);
      adam.update(statistics, step, {rate});
      const StepStatistics found = statistics.read();
      const double loss = found.loss / static_cast<double>(size_of(Batch{examples}).target);
      const double norm = std::sqrt(found.squared_norm);
      EXPECT_NEAR(loss, expected["loss"], loss_tolerance() * expected["loss"].get<double>());
      EXPECT_NEAR(norm, expected["gradient_norm"],
                  loss_tolerance() * expected["gradient_norm"].get<double>());
    }
    expect_same_movement(model->training_weights(), c["weights"], c["gain"], weight_tolerance());
    const auto found = search(*model, workers.whole(), testing::examples_of(c["search"]["source"]),
                              testing::kFixtureSpecialTokens, {.max_length_extra = 6});
    for (std::size_t i = 0; i < found.size(); ++i) {
      EXPECT_EQ(found[i][0].ids, c["search"]["results"][i]["ids"].get<std::vector<int>>());
    }
  }
};

TEST_P(TrainingTest, TenUpdatesMoveTheWeightsAsTheReferenceDoes) {
  for (const auto& c : testing::fixture("training.json")) {
    SCOPED_TRACE(c["config"].dump());
    run(c, 100);
  }
}

TEST_P(TrainingTest, TheResultDoesNotDependOnHowAnUpdateIsSplit) {
  for (const auto& c : testing::fixture("training.json")) {
    SCOPED_TRACE(c["config"].dump());
    run(c, 2);
  }
}

INSTANTIATE_TEST_SUITE_P(Devices, TrainingTest, ::testing::ValuesIn(testing::devices()),
                         [](const auto& device) { return device.param; });

}  // namespace
}  // namespace nmt
