#include "translate/scoring/coverage.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "backend/factory.h"
#include "translate/service/translator.h"
#include "translate/text_model.h"

namespace nmt {
namespace {

TEST(Coverage, IsWhatEachSourceWordLacks) {
  // Two words and EOS on each side, with attention of 0.5, 1.5 and 1.
  const Alignment alignment{2, 2, {0.25, 0.5, 0.25, 0.125, 0.75, 0.125, 0.125, 0.25, 0.625}};
  EXPECT_DOUBLE_EQ(log_coverage(alignment), std::log(0.5));
  EXPECT_EQ(log_coverage(Alignment()), 0);
  EXPECT_EQ(log_coverage({1, 0, {1, 0}}), 0) << "what nothing can look at";
}

class CoverageOfSearch : public ::testing::TestWithParam<BeamRules> {};

TEST_P(CoverageOfSearch, ChoosesAmongWhatIsFound) {
  const auto backend = open_backend({.device = "cpu", .threads = 2});
  const SavedModel model = testing::text_model(*backend, testing::text_vocabulary());
  Workers workers(*backend);
  const std::vector<std::string> lines = testing::source_lines(6);
  SearchSettings search{.beam = 5, .beam_rules = GetParam(), .n_best = 5};
  const std::vector<NBest> without = Translator(model, workers, {.search = search}).translate_n_best(lines);
  search.coverage_penalty = 0.7;
  search.n_best = 2;
  const std::vector<NBest> with =
      Translator(model, workers, {.search = search, .alignment = AlignmentSettings{}})
          .translate_n_best(lines);
  const Aligner aligner(model, *backend, {});
  int others = 0;
  for (std::size_t line = 0; line < lines.size(); ++line) {
    ASSERT_EQ(with[line].size(), 2);
    EXPECT_GE(with[line][0].score, with[line][1].score);
    EXPECT_LE(with[line][0].score, without[line][0].score);
    others += with[line][0].text != without[line][0].text;
    for (const Translation& same : with[line]) {
      const auto before = std::ranges::find_if(without[line], [&](const Translation& other) {
        return other.text == same.text && other.log_probability == same.log_probability;
      });
      if (before == without[line].end()) continue;
      EXPECT_LE(same.score, before->score);
    }
  }
  EXPECT_GT(others, 0);
}

INSTANTIATE_TEST_SUITE_P(ByRules, CoverageOfSearch,
                         ::testing::Values(BeamRules::nmt, BeamRules::marian, BeamRules::ctranslate2));

TEST(Coverage, IsAddedToTheScoresOfHypotheses) {
  const auto backend = open_backend({.device = "cpu", .threads = 2});
  const SavedModel model = testing::text_model(*backend, testing::text_vocabulary());
  Workers workers(*backend);
  const Aligner aligner(model, *backend, {});
  const std::vector<int> source = model.vocabularies.source.encode(testing::source_lines(1)[0]);
  const SearchSettings search{.n_best = 3, .coverage_penalty = 2};
  std::vector<Hypothesis> hypotheses;
  for (std::int32_t length = 0; length < 5; ++length) hypotheses.push_back({-1, -1, {}});
  for (std::size_t i = 0; i < hypotheses.size(); ++i) hypotheses[i].ids.assign(3 * i, 7);
  hypotheses[4].missing = 1;
  add_coverage(aligner, workers.whole(), source, search, 64, hypotheses);
  ASSERT_EQ(hypotheses.size(), 3);
  double before = 0;
  for (const Hypothesis& hypothesis : hypotheses) {
    EXPECT_EQ(hypothesis.missing, 0) << "that of a constraint comes last";
    const AlignedPair pair{
        {0, source, hypothesis.ids}, each_a_word(source.size()), each_a_word(hypothesis.ids.size())};
    const double expected = -1 + 2 * log_coverage(aligner.align(workers.whole(), {pair}, 64).front());
    EXPECT_DOUBLE_EQ(hypothesis.score, expected);
    EXPECT_LE(hypothesis.score, before);
    before = hypothesis.score;
  }
}

}  // namespace
}  // namespace nmt
