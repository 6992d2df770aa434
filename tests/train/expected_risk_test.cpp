// Minimum risk training: factors and gradients follow the formula, candidates are the same wherever they are
// drawn, and training reduces the model's mistakes.
#include "train/expected_risk.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "common/error.h"
#include "data/vocabulary/listed/listed_vocabulary.h"
#include "nn/comet/comet_model.h"
#include "nn/formula_weights.h"
#include "optim/optimizer.h"
#include "optim/update.h"
#include "train/small_runs.h"
#include "translate/quality/comet_utility.h"
#include "translate/service/minimum_risk.h"
#include "translate/text_model.h"

namespace nmt {
namespace {

using ::testing::DoubleNear;
using ::testing::ElementsAre;
using ::testing::Pointwise;

TEST(ExpectedRiskTest, IsThatOfTheFormula) {
  const std::vector<double> log_p = {std::log(0.64), std::log(0.04), std::log(0.04)}, risks = {0.1, 0.5, 0.9};
  const ExpectedRisk expected = expected_risk(log_p, risks, 0.5);  // Q is 2/3, 1/6, 1/6
  EXPECT_NEAR(expected.value, 0.3, 1e-12);
  EXPECT_THAT(expected.factors, Pointwise(DoubleNear(1e-12), {1.0 / 15, -1.0 / 60, -1.0 / 20}));
  const ExpectedRisk flat = expected_risk(log_p, risks, 1e-9);
  EXPECT_NEAR(flat.value, 0.5, 1e-8);
}

TEST(ExpectedRiskTest, ProbabilitiesMayBeTooSmallForNumbers) {
  const ExpectedRisk expected =
      expected_risk(std::vector{-5000.0, -5000 - std::log(3)}, std::vector{1.0, 0.0}, 1);
  EXPECT_NEAR(expected.value, 0.75, 1e-9);
  EXPECT_THAT(expected.factors, Pointwise(DoubleNear(1e-9), {-0.1875, 0.1875}));
}

/// Requests the end after a number of checks.
class StopAfter final : public StopRequest {
 public:
  explicit StopAfter(int left) : left_(left) {}
  int pending() const override { return left_-- > 0 ? 0 : 2; }

 private:
  mutable int left_;
};

/// An untrained model on the reference backend, and two sentences with their candidates.
class RiskSamplerTest : public testing::SmallRuns {
 protected:
  RiskSamplerTest() {
    std::int64_t id = 7;
    for (const auto& [source, target] : {std::pair{"the dog sees the tree", "der hund sieht der baum"},
                                         std::pair{"the old man sings", "der alte mann singt"}})
      batch_.examples.push_back({id++, words_.encode(source), words_.encode(target)});
    batch_.examples[1].weights = {0.5F};
  }

  RiskParts draw(std::uint64_t key = 1, const StopRequest& stop = never_stopped()) {
    return RiskSampler(risk_, utility_, model_, workers_)(batch_, key, stop);
  }
  /// Returns the log-probability of the tokens of a candidate whose weight is not 0.
  double log_probability(Example candidate) {
    for (float& weight : candidate.weights) weight = weight == 0 ? 0 : 1;
    return -update_.loss({{{candidate}}}).loss;
  }
  double risk(const Example& candidate) {
    const auto& reference = *std::ranges::find(batch_.examples, candidate.id, &Example::id);
    return 1 - corpus_score(*utility_metric(risk_.metric), {words_.decode(candidate.target)},
                            {{words_.decode(reference.target)}})
                       .value /
                   100;
  }
  /// Returns the loss of the batch with these candidates, by its definition.
  double loss(const std::vector<Example>& candidates) {
    double sum = 0;
    for (const Example& reference : batch_.examples) {
      std::vector<double> log_probabilities, risks;
      for (const Example& candidate : candidates) {
        if (candidate.id != reference.id) continue;
        log_probabilities.push_back(log_probability(candidate));
        risks.push_back(risk(candidate));
      }
      const double tokens = static_cast<double>(reference.target.size() + 1) *
                            (reference.weights.empty() ? 1 : reference.weights[0]);
      sum += risk_.weight * tokens * expected_risk(log_probabilities, risks, risk_.sharpness).value;
      sum += (1 - risk_.weight) * update_.loss({{{reference}}}).loss;
    }
    return sum;
  }

  std::unique_ptr<Backend> backend_ = open_backend({.device = "reference"});
  SavedModel model_ = new_model(*backend_);
  Workers workers_{*backend_};
  Update update_{*model_.model, workers_, model_.special_tokens, {}};
  /// Returns the risks of the first and the last of these updates, with the risk as the only loss.
  std::pair<double, double> train_for_risk(std::int64_t updates) {
    risk_.weight = 1;
    risk_.samples = 16;
    AdamOptimizer adam(model_.model->training_weights(), {});
    DeviceStatistics statistics(*backend_, 1);
    std::vector<double> risks;
    for (std::int64_t update = 1; update <= updates; ++update) {
      const RiskParts parts = draw(static_cast<std::uint64_t>(update) << 32 | 1);
      adam.zero_gradients();
      update_.gradients(update_.shards(parts.references, 1000), 1, statistics);
      update_.add_gradients(update_.shards(parts.candidates, 1000), parts.risk_sum, statistics);
      adam.update(statistics, update, {0.01, 0.01});
      risks.push_back(parts.risk_sum);
    }
    return {risks.front(), risks.back()};
  }

  RiskSettings risk_{.metric = "chrf", .samples = 5, .sharpness = 0.1, .weight = 0.7};
  std::shared_ptr<const Utility> utility_ = metric_utility(risk_.metric);
  Batch batch_;
};

TEST_F(RiskSamplerTest, GradientsAreThoseOfTheLoss) {
  const RiskParts parts = draw();
  const std::vector<Example>& candidates = parts.candidates.examples;
  ASSERT_EQ(candidates.size(), 10U);
  const auto is_cut = [](const Example& candidate) { return candidate.weights.back() == 0; };
  ASSERT_TRUE(std::ranges::any_of(candidates, is_cut));
  ASSERT_FALSE(std::ranges::all_of(candidates, is_cut));

  DeviceStatistics statistics(*backend_, 1);
  const std::int64_t tokens = target_tokens({batch_});
  update_.gradients(update_.shards(parts.references, 40), tokens, statistics);
  update_.add_gradients(update_.shards(parts.candidates, 100), parts.risk_sum, statistics);
  const StepStatistics figures = statistics.read();
  EXPECT_NEAR(figures.loss, loss(candidates), 1e-6);
  EXPECT_NEAR(figures.nll, update_.loss({batch_}).nll, 1e-9);

  for (const Parameters::Entry& entry : model_.model->parameters().entries()) {
    const Parameter& parameter = entry.parameter;
    std::vector<double> values = download_reals(*backend_, parameter.value);
    const std::vector<double> gradient = download_reals(*backend_, parameter.gradient);
    const auto steepest =
        std::ranges::max_element(gradient, {}, [](double slope) { return std::abs(slope); });
    double& value = values[static_cast<std::size_t>(steepest - gradient.begin())];
    const auto loss_at = [&](double distance) {
      value += distance;
      upload_reals(*backend_, parameter.value, values);
      backend_->weights_changed();
      value -= distance;
      return loss(candidates);
    };
    const double difference = (loss_at(1e-4) - loss_at(-1e-4)) / 2e-4 / static_cast<double>(tokens);
    loss_at(0);
    EXPECT_NEAR(*steepest, difference, 1e-6 * std::max(1.0, std::abs(difference))) << parameter.name;
  }
}

TEST_F(RiskSamplerTest, CandidatesDifferAndAreOfTheirSentenceAndUpdate) {
  using Targets = std::multiset<std::pair<std::int64_t, std::vector<int>>>;  // of the sentences of these ids
  const auto targets_of = [](const RiskParts& parts) {
    Targets targets;
    for (const Example& candidate : parts.candidates.examples)
      targets.emplace(candidate.id, candidate.target);
    return targets;
  };
  const Targets first = targets_of(draw());
  EXPECT_EQ(std::set(first.begin(), first.end()).size(), first.size());
  EXPECT_NE(targets_of(draw(2)), first);
  std::ranges::reverse(batch_.examples);  // as in another batch
  EXPECT_EQ(targets_of(draw()), first);
}

TEST_F(RiskSamplerTest, LeavesTheReferencesTheRest) {
  const RiskParts parts = draw();
  EXPECT_THAT(parts.references.examples[0].weights, ElementsAre(::testing::FloatEq(0.3F)));
  EXPECT_THAT(parts.references.examples[1].weights, ElementsAre(::testing::FloatEq(0.15F)));
}

TEST_F(RiskSamplerTest, IsEndedInTheMidstOfDrawing) {
  EXPECT_THROW(draw(1, StopAfter(5)), Interrupted);
}

TEST_F(RiskSamplerTest, TheRiskFallsInTraining) {
  const auto [first, last] = train_for_risk(60);
  EXPECT_LT(last, 0.9 * first);
}

/// A small COMET model with formula weights, whose scores differ much.
struct FormulaJudge {
  FormulaJudge(const std::string& kind, const Vocabulary& vocabulary)
      : words(vocabulary),
        model(CometConfig(
            ModelRegistry::instance().complete({{"type", "comet"},
                                                {"kind", kind},
                                                {"d_model", "8"},
                                                {"d_ff", "12"},
                                                {"heads", "2"},
                                                {"encoder_layers", "1"},
                                                {"max_positions", "64"},
                                                {"source_vocabulary", std::to_string(vocabulary.rows())},
                                                {"estimator_sizes", "6"},
                                                {"output_activation", "sigmoid"}}))) {
    allocate_for_inference(model.parameters(), *backend);
    for (const Parameters::Entry& entry : model.parameters().entries())
      assign(*backend, entry, testing::formula_weight(entry, 2));
    backend->weights_changed();
    metric = std::make_shared<CometMetric>(model, words, workers);
  }

  std::unique_ptr<Backend> backend = open_backend({.device = "reference"});
  Vocabulary words;
  CometModel model;
  Workers workers{*backend};
  std::shared_ptr<const CometMetric> metric;
};

TEST_F(RiskSamplerTest, ScoresByANetworkRiseInTraining) {
  FormulaJudge judge("regression", words_);
  utility_ = std::make_shared<PairwiseUtility>(judge.metric);
  const auto [first, last] = train_for_risk(20);
  EXPECT_LT(last, 0.8 * first);
}

TEST_F(RiskSamplerTest, EstimatesByANetworkRiseInTraining) {
  FormulaJudge judge("referenceless", words_);
  utility_ = std::make_shared<EstimatedQuality>(judge.metric);
  const auto [first, last] = train_for_risk(20);
  EXPECT_LT(last, 0.8 * first);
}

/// Scores of any size.
class OddUtility final : public Utility {
 public:
  double best() const override { return 1; }
  std::vector<double> expected(std::string_view, std::span<const std::string_view>,
                               std::span<const double>) const override {
    return {};
  }
  std::vector<std::vector<double>> given(std::span<const CandidateTexts> sentences,
                                         const Check& check) const override {
    std::vector<std::vector<double>> scores;
    for (const CandidateTexts& sentence : sentences) {
      check();
      EXPECT_THAT(sentence.reference, ::testing::StartsWith("der "));
      EXPECT_THAT(sentence.source, ::testing::StartsWith("the "));
      scores.emplace_back(sentence.texts.size(), 1000);
      scores.back()[0] = -1000;
    }
    return scores;
  }
};

TEST_F(RiskSamplerTest, RisksAreBounded) {
  utility_ = std::make_shared<OddUtility>();
  risk_.sharpness = 1e-9;  // all samples count alike
  const double tokens = static_cast<double>(batch_.examples[0].target.size() + 1) +
                        0.5 * static_cast<double>(batch_.examples[1].target.size() + 1);
  EXPECT_NEAR(draw().risk_sum, 0.7 * tokens * (2 - 4) / 5, 1e-6);
}

/// Whole runs.
class RiskRunsTest : public testing::SmallRuns {
 protected:
  RiskRunsTest() { settings_.risk = {.metric = "chrf", .samples = 4, .sharpness = 0.05, .weight = 0.5}; }
};

TEST_F(RiskRunsTest, GoOnAfterACrash) {
  train("whole");
  for (const int crash : {1, 4, 9, 12}) expect_same_after_crash(crash, "whole");
}

TEST_F(RiskRunsTest, AreTheSameForAnyNumberOfThreads) {
  train("1");
  threads_ = 2;
  train("2");
  expect_same_tensors("1", "2");
}

TEST_F(RiskRunsTest, AreTheSameForAnyNumberOfRanks) {
  device_ = "reference";
  settings_.steps = 6;
  train("1");
  ranks_ = 2;
  train("2");
  expect_same_to_rounding("1", "2");
}

TEST(RiskSamplerLanguagesTest, SamplesBeginWithTheLanguageOfTheirReference) {
  const auto backend = open_backend({.device = "reference"});
  const Vocabulary pieces = testing::text_vocabulary();
  const int german = pieces.size() + 1, english = german + 1;
  const LanguageUse languages{
      {{"de", german}, {"en", english}}, LanguageUse::Source::own_before, LanguageUse::Target::first};
  const Vocabulary vocabulary = make_fairseq_vocabulary(pieces.bytes(), {"de", "en"}, languages, 0, "v");
  SavedModel model = testing::text_model(*backend, vocabulary);
  use_languages(model, {"en", "de"});
  const Vocabulary to_english = vocabulary.for_languages(Side::target, {"de", "en"});
  Batch batch;
  batch.examples.push_back(
      {0, model.vocabularies.source.encode("the dog"), model.vocabularies.target.encode("der hund")});
  batch.examples.push_back({1, model.vocabularies.source.encode("der hund"), to_english.encode("the dog")});
  Workers workers(*backend);
  const RiskSettings risk{.metric = "chrf", .samples = 4};
  const RiskParts parts =
      RiskSampler(risk, metric_utility(risk.metric), model, workers)(batch, 1, never_stopped());
  ASSERT_THAT(parts.candidates.examples, ::testing::SizeIs(::testing::Gt(2U)));
  for (const Example& candidate : parts.candidates.examples)
    EXPECT_EQ(candidate.target.at(0), candidate.id == 0 ? german : english);
}

}  // namespace
}  // namespace nmt
