#include <gtest/gtest.h>

#include "translate/search/strategy.h"

namespace nmt {
namespace {

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
