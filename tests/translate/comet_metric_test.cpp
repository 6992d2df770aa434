#include "translate/quality/comet_metric.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "backend/factory.h"
#include "common/error.h"
#include "nn/formula_weights.h"
#include "tensor/workers.h"
#include "translate/quality/comet_utility.h"
#include "translate/quality/error_spans.h"
#include "translate/quality/sentence_vectors.h"
#include "translate/text_model.h"

namespace nmt {
namespace {

using ::testing::DoubleNear;
using ::testing::ElementsAre;
using ::testing::Pointwise;

/// A COMET model with formula weights, as tests/fixtures/comet_vectors.py has it.
struct FormulaComet {
  FormulaComet(const nlohmann::json& variant, const DeviceSettings& device)
      : backend(open_backend(device)),
        model(CometConfig(ModelRegistry::instance().complete(testing::settings_of(variant.at("settings"))))),
        mix(variant.at("mix").get<std::vector<float>>()),
        workers(*backend) {
    Parameters& parameters = model.parameters();
    allocate_for_inference(parameters, *backend);
    for (const Parameters::Entry& entry : parameters.entries()) {
      const bool is_mix = entry.parameter.name == "mix.weight";
      assign(*backend, entry,
             is_mix ? std::vector<double>(mix.begin(), mix.end()) : testing::formula_weight(entry, 1));
    }
    backend->weights_changed();
  }

  std::vector<EncodedSequence> encoded(const std::vector<std::vector<int>>& sequences) {
    return encode(model, mix, workers, sequences, {});
  }

  std::unique_ptr<Backend> backend;
  CometModel model;
  std::vector<float> mix;
  Workers workers;
};

/// Returns the first variant of the fixture, with a row of the word table for each token of `vocabulary`.
nlohmann::json variant_for(const Vocabulary& vocabulary) {
  nlohmann::json variant = testing::fixture("vectors.json", "comet")[0];
  variant["settings"]["source_vocabulary"] = vocabulary.size();
  return variant;
}

class SentenceVectors : public ::testing::TestWithParam<std::string> {
 protected:
  static DeviceSettings device() { return {.device = GetParam(), .threads = 2}; }
};

TEST_P(SentenceVectors, AreThoseOfUnbabelComet) {
  for (const nlohmann::json& variant : testing::fixture("vectors.json", "comet")) {
    FormulaComet comet(variant, device());
    const auto encoded = comet.encoded(variant.at("sequences").get<std::vector<std::vector<int>>>());
    for (std::size_t i = 0; i < encoded.size(); ++i) {
      EXPECT_THAT(encoded[i].vector,
                  Pointwise(::testing::FloatNear(2e-6F), variant.at("vectors")[i].get<std::vector<float>>()))
          << variant.at("settings").dump() << ", sequence " << i;
      if (!variant.contains("tags")) continue;
      EXPECT_THAT(encoded[i].tags,
                  Pointwise(::testing::FloatNear(2e-6F), variant.at("tags")[i].get<std::vector<float>>()));
    }
  }
}

// A vector is the same bit by bit, whatever else is in the batch.
TEST_P(SentenceVectors, DoNotDependOnTheirBatch) {
  for (const nlohmann::json& variant : testing::fixture("vectors.json", "comet")) {
    FormulaComet comet(variant, device());
    const auto sequences = variant.at("sequences").get<std::vector<std::vector<int>>>();
    const auto together = comet.encoded(sequences);
    for (std::size_t i = 0; i < sequences.size(); ++i)
      EXPECT_EQ(comet.encoded({sequences[i]})[0].vector, together[i].vector);
  }
}

INSTANTIATE_TEST_SUITE_P(Devices, SentenceVectors, ::testing::Values("reference", "cpu"));

// The score of the estimator, from the vectors of the fixture's first, third and last sequence as
// translation, source and reference.
TEST(CometEstimator, ScoresAreThoseOfUnbabelComet) {
  for (const nlohmann::json& variant : testing::fixture("vectors.json", "comet")) {
    FormulaComet comet(variant, {.device = "reference"});
    const Estimator estimator(comet.model, comet.workers);
    const auto vectors = variant.at("vectors").get<std::vector<std::vector<float>>>();
    const std::string kind = variant.at("settings").at("kind");
    const std::vector<float> features =
        kind == "unified" ? vectors[0]
                          : Estimator::features(vectors[0], vectors[2],
                                                kind == "regression" ? vectors[3] : std::vector<float>());
    EXPECT_NEAR(estimator.scores(1, [&](std::size_t) { return features; })[0],
                variant.at("score").get<double>(), 1e-6)
        << variant.at("settings").dump();
  }
}

// The expectation over all references is that of the scores with each; Eikema and Aziz, 2020.
TEST(ExpectedScore, IsTheMeanOfScoresWithEachReference) {
  const Vocabulary vocabulary = testing::text_vocabulary();
  FormulaComet comet(variant_for(vocabulary), {.device = "reference"});
  const CometMetric metric(comet.model, vocabulary, comet.workers);
  const std::vector<std::string_view> texts = {"b a", "a", "a b c", "c"};
  const std::vector<double> weights = {0.1, 0.2, 0.3, 0.4};
  std::vector<double> expected;
  for (const std::string_view text : texts) {
    double sum = 0;
    for (std::size_t j = 0; j < texts.size(); ++j)
      sum += weights[j] * metric.judge(std::vector<JudgedTexts>{{text, "c b", texts[j]}}, true)[0].score;
    expected.push_back(sum);
  }
  const std::vector<double> all = metric.expected("c b", texts, weights, texts.size());
  EXPECT_THAT(all, Pointwise(DoubleNear(1e-6), expected));
  const PairwiseUtility by_pairs(std::shared_ptr<const QualityMetric>(std::shared_ptr<void>(), &metric));
  EXPECT_THAT(by_pairs.expected("c b", texts, weights), Pointwise(DoubleNear(1e-12), expected));
  // The best two by the mean vector are exact, and come before all others.
  const std::vector<double> partly = metric.expected("c b", texts, weights, 2);
  std::size_t exact = 0;
  double worst = 1e9;
  for (std::size_t i = 0; i < texts.size(); ++i) {
    if (std::abs(partly[i] - all[i]) > 1e-6) continue;
    ++exact;
    worst = std::min(worst, partly[i]);
  }
  EXPECT_EQ(exact, 2);
  EXPECT_EQ(std::ranges::count_if(partly, [&](double score) { return score > worst; }), 1);
}

// Texts that are kept are not encoded again, and have the same vectors as before.
TEST(CometMetric, EncodesKeptTextsOnce) {
  const Vocabulary vocabulary = testing::text_vocabulary();
  FormulaComet comet(variant_for(vocabulary), {.device = "reference"});
  CometMetric metric(comet.model, vocabulary, comet.workers);
  const std::vector<std::string> sources = {"a b", "c"}, references = {"b a", "c a"};
  const std::vector<JudgedTexts> texts = {{"b", sources[0], references[0]}, {"a", sources[1], references[1]}};
  const auto judge = [&](std::size_t& encoded) {
    std::vector<double> scores;
    for (const Judgment& judgment : metric.judge(texts, true, [&](std::size_t count) { encoded += count; }))
      scores.push_back(judgment.score);
    return scores;
  };
  std::size_t before = 0, after = 0;
  const std::vector<double> scores = judge(before);
  EXPECT_EQ(before, 6);
  metric.keep(sources);
  metric.keep(references);
  EXPECT_EQ(judge(after), scores);
  EXPECT_EQ(after, 2) << "the translations";
}

TEST(CometText, IsCutLikeUnbabelCometDoesIt) {
  constexpr std::int64_t kLongest = 10;
  const Vocabulary vocabulary = testing::text_vocabulary();
  const CometText text(vocabulary, kLongest, true);
  const std::vector<int> whole = CometText::ids(text.tokens("a b c a b c a b c"));
  EXPECT_EQ(whole.size(), kLongest - 2);
  EXPECT_EQ(whole.back(), vocabulary.end());
  EXPECT_THAT(CometText::ids(text.tokens("")), ElementsAre(vocabulary.begin().value(), vocabulary.end()));
  const std::vector<int> few = CometText::ids(text.tokens("a"));
  const std::vector<int> pair = text.joined({few, few});
  EXPECT_EQ(pair.size(), 2 * few.size());
  EXPECT_EQ(pair[few.size() - 1], vocabulary.end());
  EXPECT_EQ(pair[few.size()], vocabulary.end());  // </s></s>
  EXPECT_EQ(text.joined({whole, few}).size(), kLongest);
}

TEST(TagProbabilities, AreASoftmaxOfEachToken) {
  const std::vector<float> logits = {0, 0, 1000, 1001};
  EXPECT_THAT(tag_probabilities(logits, 2), ElementsAre(0.5, 0.5, DoubleNear(1 / (1 + std::exp(1.0)), 1e-12),
                                                        DoubleNear(1 / (1 + std::exp(-1.0)), 1e-12)));
}

TEST(MqmScore, CountsErrorsBySeverityUpToALimit) {
  const auto with = [](const std::vector<std::string>& severities) {
    std::vector<ErrorSpan> errors;
    for (const std::string& severity : severities) errors.push_back({.text = "", .severity = severity});
    return mqm_score(errors);
  };
  EXPECT_EQ(with({}), 1);
  EXPECT_EQ(with({"minor", "major"}), 19.0 / 25);
  EXPECT_EQ(with({"critical", "critical", "critical"}), 0);
  EXPECT_EQ(with({"BAD"}), 1);  // an error of no severity that MQM knows
}

}  // namespace
}  // namespace nmt
