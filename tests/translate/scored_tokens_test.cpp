#include <gtest/gtest.h>

#include <numeric>

#include "backend/factory.h"
#include "translate/scoring/scorer.h"
#include "translate/search/search.h"
#include "translate/service/translation.h"
#include "translate/text_model.h"

namespace nmt {
namespace {

class ScoredTokensTest : public ::testing::Test {
 protected:
  /// Returns the result for a line with a model of these settings.
  std::vector<Hypothesis> found(const SavedModel& model, const SearchSettings& settings,
                                const SentenceRules& rules = {}) {
    const Example example{.id = 0, .source = vocabulary_.encode(line_), .target = {}};
    return search(*model.model, worker_, {example}, model.special_tokens, settings, rules)[0];
  }
  SavedModel model(const nlohmann::json& overrides = {}) {
    return testing::text_model(*backend_, vocabulary_, overrides);
  }
  /// Returns the log-probabilities of its tokens from a pass over the finished pair.
  std::vector<double> scores(const SavedModel& model, const Hypothesis& hypothesis) {
    const Example pair{.id = 0, .source = vocabulary_.encode(line_), .target = hypothesis.ids};
    return score(*model.model, worker_, {pair}, model.special_tokens)[0];
  }

  const std::unique_ptr<Backend> backend_ = open_backend({.device = "reference"});
  Worker worker_{*backend_};
  const Vocabulary vocabulary_ = testing::text_vocabulary();
  const std::string line_ = testing::source_lines(1)[0];
};

TEST_F(ScoredTokensTest, AreLogProbabilitiesOfTheModelHoweverTheyWereFound) {
  for (const char* direction : {"left-to-right", "right-to-left"}) {
    const SavedModel model = this->model({{"target_direction", direction}});
    for (const SearchSettings& settings :
         {SearchSettings{.beam = 1}, SearchSettings{.beam = 4, .n_best = 4},
          SearchSettings{.beam = 3, .beam_rules = BeamRules::marian, .n_best = 3},
          SearchSettings{.n_best = 3, .sampling = SamplingSettings{.temperature = 2}}}) {
      for (const Hypothesis& hypothesis : found(model, settings)) {
        const std::vector<double>& tokens = hypothesis.token_log_probabilities;
        EXPECT_NEAR(std::accumulate(tokens.begin(), tokens.end(), 0.0), hypothesis.log_probability, 1e-9);
        const std::vector<double> expected = scores(model, hypothesis);
        ASSERT_LE(tokens.size(), expected.size());  // one that was cut has no EOS
        ASSERT_GE(tokens.size(), hypothesis.ids.size());
        for (std::size_t i = 0; i < tokens.size(); ++i) EXPECT_NEAR(tokens[i], expected[i], 1e-5);
      }
    }
  }
}

TEST_F(ScoredTokensTest, FirstTokensCountAsZero) {
  const SavedModel model = this->model();
  for (const SearchSettings& settings :
       {SearchSettings{.beam = 2}, SearchSettings{.sampling = SamplingSettings{}}}) {
    const auto tokens = found(model, settings, {.first_tokens = {5, 6}})[0].token_log_probabilities;
    EXPECT_EQ(tokens.at(0), 0);
    EXPECT_EQ(tokens.at(1), 0);
    EXPECT_LT(tokens.at(2), 0);
  }
}

TEST_F(ScoredTokensTest, WordsHaveTheSumsOfTheirPieces) {
  Hypothesis hypothesis{.ids = vocabulary_.encode("lasso ⁇ rano ti")};
  ASSERT_GT(hypothesis.ids.size(), 4);
  double sum = 0;
  for (std::size_t i = 0; i <= hypothesis.ids.size(); ++i) {
    hypothesis.token_log_probabilities.push_back(-1 - static_cast<double>(i) / 8);
    if (i < hypothesis.ids.size()) sum += hypothesis.token_log_probabilities.back();
  }
  const std::vector<ScoredPart> tokens = scored_tokens(vocabulary_, hypothesis),
                                words = scored_words("lasso ⁇ rano ti", words_of(vocabulary_, hypothesis.ids),
                                                     hypothesis);
  ASSERT_EQ(tokens.size(), hypothesis.ids.size() + 1);
  EXPECT_EQ(tokens.back().text, "</s>");
  std::string text;
  double of_words = 0;
  for (const ScoredPart& word : words) {
    text += (text.empty() ? "" : " ") + word.text;
    of_words += word.log_probability;
  }
  EXPECT_EQ(text, "lasso ⁇ rano ti");
  EXPECT_NEAR(of_words, sum, 1e-12);
  const std::size_t first = vocabulary_.encode("lasso").size();
  double of_first = 0;
  for (std::size_t i = 0; i < first; ++i) of_first += hypothesis.token_log_probabilities[i];
  EXPECT_EQ(words.at(0).log_probability, of_first);
}

}  // namespace
}  // namespace nmt
