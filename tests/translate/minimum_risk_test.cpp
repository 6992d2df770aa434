#include "translate/service/minimum_risk.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "backend/factory.h"
#include "common/error.h"
#include "translate/service/translator.h"
#include "translate/text_model.h"

namespace nmt {
namespace {

using ::testing::ElementsAre;

NBest candidates(const std::vector<std::string>& texts) {
  NBest list;
  for (const std::string& text : texts) list.push_back({.text = text});
  return list;
}

std::vector<std::size_t> numbers(const std::vector<Choice>& choices) {
  std::vector<std::size_t> numbers;
  for (const Choice& choice : choices) numbers.push_back(choice.candidate);
  return numbers;
}

TEST(MinimumRisk, IsThatOfTheTextMostLikeAllOthers) {
  const NBest list = candidates({"the cat sleeps", "the dog sleeps", "the dog eats", "it rains"});
  for (const std::string& name : utility_names()) {
    const std::shared_ptr<const Metric> metric = utility_metric(name);
    const std::vector<Choice> best = of_minimum_risk("", list, true, {metric_utility(name), 4});
    EXPECT_EQ(best.front().candidate, 1) << name;
    EXPECT_EQ(best.back().candidate, 3) << name;
    // Computes the utilities by the metric itself, pair by pair.
    for (const Choice& choice : best) {
      double sum = 0;
      for (const Translation& reference : list) {
        const std::string_view other = reference.text;
        sum += metric->score(metric->segment(list[choice.candidate].text, std::span(&other, 1))).value;
      }
      EXPECT_NEAR(choice.utility, sum / 4, 1e-9) << name;
    }
  }
}

TEST(MinimumRisk, TextsThatAreDrawnMoreOftenCountMore) {
  const MinimumRisk all{metric_utility("chrf"), 9};
  EXPECT_EQ(numbers(of_minimum_risk("", candidates({"ab", "cd", "cd"}), true, all)),
            (std::vector<std::size_t>{1, 0}));
  EXPECT_NEAR(of_minimum_risk("", candidates({"ab", "cd", "cd"}), true, all)[0].utility, 200.0 / 3, 1e-9);
}

TEST(MinimumRisk, TextsThatWereSearchedForCountByTheirProbability) {
  NBest list = candidates({"ab", "cd", "ef"});
  for (std::size_t i = 0; i < 3; ++i)
    list[i].log_probability = std::log(0.1 * static_cast<double>(i + 1)) - 900;
  const std::vector<Choice> best = of_minimum_risk("", list, false, {metric_utility("bleu"), 2});
  EXPECT_THAT(numbers(best), ElementsAre(2, 1));
  EXPECT_NEAR(best[0].utility, 50, 1e-9);
}

TEST(MinimumRisk, EmptyTextsAreCandidatesAsOthers) {
  EXPECT_EQ(of_minimum_risk("", candidates({"", "a", "a"}), true, {metric_utility("bleu"), 1})[0].candidate,
            1);
  EXPECT_EQ(of_minimum_risk("", candidates({""}), true, {metric_utility("chrf"), 1})[0].candidate, 0);
}

TEST(ClosestTo, IsByTheMetricOfEachTextWithTheReference) {
  const NBest list =
      candidates({"it rains", "the dog sleeps", "the cat sleeps", "the dog sleeps", "the dog"});
  for (const std::string& name : utility_names()) {
    const std::shared_ptr<const Metric> metric = utility_metric(name);
    const std::string_view reference = "the cat sleeps here";
    const std::vector<Choice> best = closest_to("", reference, list, {metric_utility(name), 3});
    EXPECT_THAT(numbers(best), ElementsAre(2, 1, 4)) << name;
    for (const Choice& choice : best) {
      const Statistics counts = metric->segment(list[choice.candidate].text, std::span(&reference, 1));
      EXPECT_EQ(choice.utility, metric->score(counts).value) << name;
    }
    EXPECT_EQ(closest_to("", reference, list, {metric_utility(name), 9}).size(), 4)
        << name;  // each text once
  }
}

TEST(ClosestTo, IsTheFirstOfThoseThatAreEquallyGood) {
  EXPECT_THAT(numbers(closest_to("", "x", candidates({"a", "b", "x", "c"}), {metric_utility("bleu"), 4})),
              ElementsAre(2, 0, 1, 3));
}

TEST(MinimumRisk, ItsUtilitiesAreMetricsOfWhichMoreIsBetter) {
  EXPECT_THAT(utility_names(), ElementsAre("bleu", "chrf", "chrf++"));
  EXPECT_THROW(metric_utility("ter"), UsageError);
}

TEST(MinimumRisk, IsChosenAmongWhatASearchFinds) {
  const auto backend = open_backend({.device = "cpu", .threads = 2});
  const SavedModel model = testing::text_model(*backend, testing::text_vocabulary());
  Workers workers(*backend);
  const std::vector<std::string> lines = testing::source_lines(5);
  SearchSettings search{.n_best = 12, .sampling = SamplingSettings{}};
  const MinimumRisk risk{metric_utility("chrf"), 3};
  const std::vector<NBest> all = Translator(model, workers, {.search = search}).translate_n_best(lines);
  const auto read_request = [&](std::string line, TranslationRequest& request) {
    request.text = std::move(line);
    request.minimum_risk = risk;
  };
  Translator choosing(model, workers, {.search = search, .alignment = AlignmentSettings{}},
                      {.read_request = read_request});
  const std::vector<NBest> chosen = choosing.translate_n_best(lines);
  for (std::size_t line = 0; line < lines.size(); ++line) {
    const std::vector<Choice> expected = of_minimum_risk("", all[line], true, risk);
    ASSERT_EQ(chosen[line].size(), expected.size());
    for (std::size_t i = 0; i < expected.size(); ++i) {
      EXPECT_EQ(chosen[line][i].text, all[line][expected[i].candidate].text);
      EXPECT_EQ(chosen[line][i].score, expected[i].utility);
      EXPECT_EQ(chosen[line][i].log_probability, all[line][expected[i].candidate].log_probability);
      EXPECT_GT(chosen[line][i].alignment.source_words, 0);
    }
  }
}

}  // namespace
}  // namespace nmt
