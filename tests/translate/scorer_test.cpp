// Scores compared with an independent Transformer of PyTorch's layers (tests/fixtures/transformer.py).
#include "translate/scoring/scorer.h"

#include <gtest/gtest.h>

#include <atomic>

#include "backend/devices.h"
#include "backend/little_memory.h"
#include "nn/formula_weights.h"

namespace nmt {
namespace {

class ScoreTest : public ::testing::TestWithParam<std::string> {
 protected:
  static double tolerance() { return GetParam() == "reference" ? 1e-9 : 1e-4; }
};

TEST_P(ScoreTest, LogProbabilitiesAreThoseOfTheReference) {
  const auto backend = testing::open_device(GetParam(), 2);
  for (const auto& c : testing::fixture("scores.json")) {
    SCOPED_TRACE(c["config"].dump());
    const auto model = testing::formula_model(c["config"], c["gain"], *backend);
    Workers workers(*backend);
    const std::vector<Example> examples = testing::examples_of(c["source"], c["target"]);
    const auto scores = score(*model, workers.whole(), examples, testing::kFixtureSpecialTokens);
    ASSERT_EQ(scores.size(), examples.size());
    for (std::size_t i = 0; i < scores.size(); ++i) {
      const auto expected = c["log_probabilities"][i].get<std::vector<double>>();
      ASSERT_EQ(scores[i].size(), expected.size());
      for (std::size_t j = 0; j < expected.size(); ++j) {
        EXPECT_NEAR(scores[i][j], expected[j], tolerance()) << "sentence " << i << ", token " << j;
      }
    }
  }
}

TEST_P(ScoreTest, AScoreDoesNotDependOnTheOtherSentences) {
  const auto backend = testing::open_device(GetParam(), 2);
  const auto c = testing::fixture("scores.json")[0];
  const auto model = testing::formula_model(c["config"], c["gain"], *backend);
  Workers workers(*backend);
  const std::vector<Example> examples = testing::examples_of(c["source"], c["target"]);
  const auto together = score(*model, workers.whole(), examples, testing::kFixtureSpecialTokens);
  for (std::size_t i = 0; i < examples.size(); ++i) {
    const auto alone = score(*model, workers.whole(), {examples[i]}, testing::kFixtureSpecialTokens);
    EXPECT_EQ(alone[0], together[i]) << "the bits differ for sentence " << i;
  }
}

TEST_P(ScoreTest, AnEnsembleGivesTheMean) {
  const auto backend = testing::open_device(GetParam(), 2);
  const auto c = testing::fixture("scores.json")[0];
  const auto first = testing::formula_model(c["config"], c["gain"], *backend),
             second = testing::formula_model(c["config"], c["gain"], *backend, false, 0, "other");
  Workers workers(*backend);
  const std::vector<Example> examples = testing::examples_of(c["source"], c["target"]);
  const SpecialTokens& special_tokens = testing::kFixtureSpecialTokens;
  const auto a = score(*first, workers.whole(), examples, special_tokens),
             b = score(*second, workers.whole(), examples, special_tokens),
             both = score(mean_of({{first.get(), special_tokens}, {second.get(), special_tokens}}),
                          workers.whole(), examples);
  for (std::size_t i = 0; i < a.size(); ++i) {
    for (std::size_t j = 0; j < a[i].size(); ++j) {
      EXPECT_NE(a[i][j], b[i][j]);
      EXPECT_NEAR(both[i][j], (a[i][j] + b[i][j]) / 2, 1e-12);
    }
  }
}

TEST_P(ScoreTest, AnEnsembleGivesTheMeanByWeights) {
  const auto backend = testing::open_device(GetParam(), 2);
  const auto c = testing::fixture("scores.json")[0];
  const auto first = testing::formula_model(c["config"], c["gain"], *backend),
             second = testing::formula_model(c["config"], c["gain"], *backend, false, 0, "other");
  Workers workers(*backend);
  const std::vector<Example> examples = testing::examples_of(c["source"], c["target"]);
  const SpecialTokens& special_tokens = testing::kFixtureSpecialTokens;
  const auto of_first = score(*first, workers.whole(), examples, special_tokens),
             of_second = score(*second, workers.whole(), examples, special_tokens);
  const auto of_weights = [&](double a, double b) {
    return score(mean_of({{first.get(), special_tokens, a}, {second.get(), special_tokens, b}}),
                 workers.whole(), examples);
  };
  const auto weighted = of_weights(3, 1), equal = of_weights(3, 3), plain = of_weights(1, 1);
  EXPECT_EQ(equal, plain) << "the bits differ";
  for (std::size_t i = 0; i < weighted.size(); ++i) {
    for (std::size_t j = 0; j < weighted[i].size(); ++j)
      EXPECT_NEAR(weighted[i][j], (3 * of_first[i][j] + of_second[i][j]) / 4, 1e-6);
  }
}

TEST_P(ScoreTest, WorkersScoreManyAsTheyScoreOne) {
  const auto backend = testing::open_device(GetParam(), 2);
  const auto c = testing::fixture("scores.json")[0];
  const auto model = testing::formula_model(c["config"], c["gain"], *backend);
  Workers workers(*backend);
  const std::vector<Example> few = testing::examples_of(c["source"], c["target"]);
  std::vector<Example> many;
  const int times = GetParam() == "cuda" ? 10 : 300;  // it may be an emulator, and that is enough for both
  for (int i = 0; i < times; ++i) many.insert(many.end(), few.begin(), few.end());
  const auto expected = score(*model, workers.whole(), few, testing::kFixtureSpecialTokens);
  std::atomic<std::size_t> told = 0;
  Scorer scorer({{model.get(), testing::kFixtureSpecialTokens}}, workers, 512);
  const auto scores = scorer(many, [&](std::size_t more) { told += more; });
  ASSERT_EQ(scores.size(), many.size());
  for (std::size_t i = 0; i < many.size(); ++i) EXPECT_EQ(scores[i], expected[i % few.size()]);
  EXPECT_EQ(told, many.size());
  EXPECT_TRUE(scorer({}).empty());
}

/// A device whose memory can be limited, and pairs to score.
class ScorerMemory : public ::testing::Test {
 protected:
  std::vector<std::vector<double>> score_all() {
    Workers workers(backend_);
    return Scorer({{model_.get(), testing::kFixtureSpecialTokens}}, workers, 512)(examples_);
  }

  nlohmann::json case_ = testing::fixture("scores.json")[0];
  testing::LittleMemory backend_{2};
  std::unique_ptr<Model> model_ = testing::formula_model(case_["config"], case_["gain"], backend_);
  std::vector<Example> examples_ = [this] {
    std::vector<Example> examples;
    const std::vector<Example> few = testing::examples_of(case_["source"], case_["target"]);
    for (int i = 0; i < 200; ++i) examples.insert(examples.end(), few.begin(), few.end());
    return examples;
  }();
};

TEST_F(ScorerMemory, WhatAWorkerHasNoneForIsScoredLater) {
  const auto expected = score_all();
  backend_.leave(testing::kForOneWorker);
  EXPECT_EQ(score_all(), expected);
}

TEST_F(ScorerMemory, WhatIsTooMuchAloneEndsTheResult) {
  auto expected = score_all();
  for (const std::size_t number : {250, 150}) {
    const std::vector<int> ids = examples_[number].source;
    for (int i = 0; i < 1000; ++i)
      examples_[number].source.insert(examples_[number].source.end(), ids.begin(), ids.end());
  }
  backend_.leave(testing::kForOneWorker);
  expected.resize(150);
  EXPECT_EQ(score_all(), expected);
}

TEST(TotalScore, IsTheSumOverThePenaltyOfItsLength) {
  EXPECT_DOUBLE_EQ(total_score({-1, -2, -3}, {}), -6);
  EXPECT_DOUBLE_EQ(total_score({-1, -2, -3}, {.length_penalty = 1}), -6 / (8.0 / 6));
  EXPECT_DOUBLE_EQ(total_score({-2}, {.length_penalty = 0.6}), -2);
}

INSTANTIATE_TEST_SUITE_P(Devices, ScoreTest, ::testing::ValuesIn(testing::devices()),
                         [](const auto& device) { return device.param; });

}  // namespace
}  // namespace nmt
