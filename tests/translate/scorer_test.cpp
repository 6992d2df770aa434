// Scores against an independent Transformer built from PyTorch's layers (tests/fixtures/transformer.py).
#include "translate/scorer.h"

#include <gtest/gtest.h>

#include "nn/formula_weights.h"

namespace nmt {
namespace {

struct Device {
  DeviceSettings settings;
  double tolerance;
};

class ScoreTest : public ::testing::TestWithParam<Device> {};

TEST_P(ScoreTest, LogProbabilitiesAreThoseOfTheReference) {
  const auto backend = open_backend(GetParam().settings);
  for (const auto& c : testing::fixture("scores.json")) {
    SCOPED_TRACE(c["config"].dump());
    const auto model = testing::formula_model(c["config"], c["gain"], *backend);
    Arena arena(*backend);
    const std::vector<Example> examples = testing::examples_of(c["source"], c["target"]);
    const auto scores = score(*model, *backend, arena, examples, testing::fixture_marks);
    ASSERT_EQ(scores.size(), examples.size());
    for (std::size_t i = 0; i < scores.size(); ++i) {
      const auto expected = c["log_probabilities"][i].get<std::vector<double>>();
      ASSERT_EQ(scores[i].size(), expected.size());
      for (std::size_t j = 0; j < expected.size(); ++j) {
        EXPECT_NEAR(scores[i][j], expected[j], GetParam().tolerance) << "sentence " << i << ", token " << j;
      }
    }
  }
}

TEST_P(ScoreTest, AScoreDoesNotDependOnTheOtherSentences) {
  const auto backend = open_backend(GetParam().settings);
  const auto c = testing::fixture("scores.json")[0];
  const auto model = testing::formula_model(c["config"], c["gain"], *backend);
  Arena arena(*backend);
  const std::vector<Example> examples = testing::examples_of(c["source"], c["target"]);
  const auto together = score(*model, *backend, arena, examples, testing::fixture_marks);
  for (std::size_t i = 0; i < examples.size(); ++i) {
    const auto alone = score(*model, *backend, arena, {examples[i]}, testing::fixture_marks);
    EXPECT_EQ(alone[0], together[i]) << "the bits differ for sentence " << i;
  }
}

INSTANTIATE_TEST_SUITE_P(Devices, ScoreTest,
                         ::testing::Values(Device{{"reference", "auto", 1}, 1e-9},
                                           Device{{"cpu", "auto", 2}, 1e-4}),
                         [](const auto& device) { return device.param.settings.device; });

}  // namespace
}  // namespace nmt
