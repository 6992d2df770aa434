#include "translate/search/search_settings.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "translate/search/strategy.h"

namespace nmt {
namespace {

TEST(ScoreFormula, ThePenaltyIsTheOneOfWuEtAl) {
  const auto penalty = [](std::int64_t length, double alpha) {
    return ScoreFormula{.length_penalty = alpha}.penalty(length);
  };
  EXPECT_DOUBLE_EQ(penalty(1, 0.6), 1);
  EXPECT_DOUBLE_EQ(penalty(7, 1), 2);
  EXPECT_DOUBLE_EQ(penalty(7, 0.5), std::sqrt(2.0));
  EXPECT_DOUBLE_EQ(penalty(100, 0), 1);
}

TEST(ScoreFormula, OrAPowerOfTheLength) {
  const ScoreFormula formula{.length_penalty = 0.5, .length_normalization = LengthNormalization::power};
  EXPECT_DOUBLE_EQ(formula.penalty(16), 4);
  EXPECT_DOUBLE_EQ(formula(-8, 16), -2);
  EXPECT_EQ(formula(0, 0), 0) << "cut before the first token";
}

TEST(ScoreFormula, InWhichTheStartMayCount) {
  const ScoreFormula formula{.length_penalty = 1, .length_normalization = LengthNormalization::eole};
  EXPECT_DOUBLE_EQ(formula(-8, 3), -2);
}

TEST(ScoreFormula, EachTokenTakesItsPenalty) {
  const ScoreFormula formula{
      .length_penalty = 1, .length_normalization = LengthNormalization::power, .word_penalty = 0.25};
  EXPECT_DOUBLE_EQ(formula(-7, 4), -2);
}

TEST(ScoreFormula, TheBoundIsTheHighestScoreOfAllLengths) {
  for (const auto normalization :
       {LengthNormalization::wu, LengthNormalization::power, LengthNormalization::eole}) {
    for (const double alpha : {0.0, 0.6, 1.0, 3.0}) {
      for (const double word_penalty : {-4.0, -0.2, 0.0, 0.2, 4.0}) {
        const ScoreFormula formula{alpha, normalization, word_penalty};
        for (std::int64_t longest = 3; longest <= 20; ++longest) {
          double best = formula(-5, 3);
          for (std::int64_t length = 4; length <= longest; ++length)
            best = std::max(best, formula(-5, length));
          EXPECT_DOUBLE_EQ(formula.bound(-5, 3, longest), best);
        }
      }
    }
  }
}

TEST(LengthNormalization, HasNames) {
  EXPECT_EQ(name_of(LengthNormalization::power), "power");
  EXPECT_EQ(value_named<LengthNormalization>("wu"), LengthNormalization::wu);
  EXPECT_FALSE(value_named<LengthNormalization>("none"));
  EXPECT_EQ(names_of<LengthNormalization>(), (std::vector<std::string>{"wu", "power", "eole"}));
}

TEST(SearchSettingsTest, TheLongestTranslationIsRoundedDown) {
  const SearchSettings settings{.max_length_factor = 1.5, .max_length_extra = 5};
  EXPECT_EQ(settings.longest_translation(2), 8);
  EXPECT_EQ(settings.longest_translation(3), 9) << "of 9.5";
  EXPECT_EQ(SearchSettings{}.longest_translation(7), 57);
  const SearchSettings fractions{.max_length_factor = 0.5, .max_length_extra = 0.75};
  EXPECT_EQ(fractions.longest_translation(1), 1) << "of 1.25";
}

TEST(SearchSettingsTest, MarianRoundsItUpInF32) {
  const auto longest = [](double factor, std::int64_t source) {
    // EOS counts as a token of the source.
    return SearchSettings{
        .beam_rules = BeamRules::marian, .max_length_factor = factor, .max_length_extra = factor}
        .longest_translation(source);
  };
  EXPECT_EQ(longest(3, 7), 24);
  EXPECT_EQ(longest(2.5, 7), 20);
  EXPECT_EQ(longest(2.5, 8), 23) << "of 22.5";
  EXPECT_EQ(longest(1.1, 9), 11) << "as 1.1 times 10 is no more in f32";
}

}  // namespace

}  // namespace nmt
