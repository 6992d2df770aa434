#include "data/text/filter.h"

#include <gmock/gmock.h>

#include "data/dropped_counts.h"

namespace nmt {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

Example pair_of(std::size_t source, std::size_t target) {
  return {0, std::vector<int>(source, 5), std::vector<int>(target, 6)};
}

/// Returns the filter that drops a pair with so many tokens.
std::optional<PairFilter> filter_that_drops(std::size_t source, std::size_t target, const Filter& filter,
                                            std::string_view source_text = "a",
                                            std::string_view target_text = "b") {
  const std::optional<Drop> drop = drop_of({pair_of(source, target), source_text, target_text}, filter);
  return drop ? std::optional(drop->filter) : std::nullopt;
}

/// Returns what the only filter measures of a pair that it drops.
std::optional<double> value_of(std::string_view source, std::string_view target, const Filter& filter) {
  const std::optional<Drop> drop = drop_of({pair_of(3, 3), source, target}, filter);
  return drop ? drop->value : std::nullopt;
}

TEST(Filter, KeepsPairsUpToItsLimits) {
  const Filter filter{.max_length = 6, .min_length = 2, .max_ratio = 2};
  for (const auto& [source, target] : {std::pair(2, 2), {6, 6}, {3, 6}, {6, 3}})
    EXPECT_EQ(filter_that_drops(source, target, filter), std::nullopt) << source << " " << target;
  EXPECT_EQ(filter_that_drops(4, 4, filter, "a", "a"), std::nullopt);
}

TEST(Filter, NamesTheFirstReasonThatApplies) {
  const Filter filter{.max_length = 6, .min_length = 2, .max_ratio = 2, .drop_identical = true};
  for (const auto& [source, target] : {std::pair(0, 9), {9, 0}})
    EXPECT_EQ(filter_that_drops(source, target, filter), PairFilter::empty);
  for (const auto& [source, target] : {std::pair(7, 6), {1, 7}, {3, 7}})
    EXPECT_EQ(filter_that_drops(source, target, filter), PairFilter::too_long);
  for (const auto& [source, target] : {std::pair(1, 2), {6, 1}})
    EXPECT_EQ(filter_that_drops(source, target, filter), PairFilter::too_short);
  for (const auto& [source, target] : {std::pair(2, 5), {5, 2}})
    EXPECT_EQ(filter_that_drops(source, target, filter), PairFilter::uneven);
  EXPECT_EQ(filter_that_drops(4, 4, filter, "a", "a"), PairFilter::identical);
  EXPECT_EQ(filter_that_drops(7, 7, filter, "a", "a"), PairFilter::too_long);
}

TEST(Filter, OfTargetsAloneDoesNotLookAtSources) {
  const Filter filter{.max_length = 6,
                      .max_ratio = 2,
                      .max_character_ratio = 2,
                      .drop_identical = true,
                      .min_letters = 0.5,
                      .match_numbers = true,
                      .has_source = false};
  EXPECT_EQ(filter_that_drops(0, 6, filter, "", "a 7"), std::nullopt);
  EXPECT_EQ(filter_that_drops(0, 7, filter, "", "a"), PairFilter::too_long);
  EXPECT_EQ(filter_that_drops(0, 0, filter, "", ""), PairFilter::empty);
  EXPECT_EQ(filter_that_drops(0, 6, filter, "", "a 789"), PairFilter::few_letters);
}

TEST(Filter, MeasuresTexts) {
  EXPECT_EQ(value_of("äöü", "abcdefg", {.max_character_ratio = 2}), 7.0 / 3);
  EXPECT_EQ(value_of("äöü", "abcdef", {.max_character_ratio = 2}), std::nullopt);
  EXPECT_EQ(value_of("The old dog runs", "the old dog rennt", {.max_copied = 0.7}), 0.75);
  EXPECT_EQ(value_of("The old dog runs", "the old dog rennt", {.max_copied = 0.75}), std::nullopt);
  EXPECT_EQ(value_of("ab 12345678", "a dog", {.min_letters = 0.5}), 0.2);
  EXPECT_EQ(value_of("a dog", "ab 12345678", {.min_letters = 0.5}), 0.2);
  EXPECT_EQ(value_of("a dog", "ab 12", {.min_letters = 0.5}), std::nullopt);
  EXPECT_EQ(value_of("7 dogs and 2 cats", "7 Hunde und 3 Katzen", {.match_numbers = true}), 2);
  EXPECT_EQ(value_of("7 dogs and 2 cats", "2 Katzen und 7 Hunde", {.match_numbers = true}), std::nullopt);
}

TEST(Filter, FindsOtherLanguagesAndScripts) {
  const Filter filter{.languages = ExpectedLanguages::parse("en,de")};
  const char *const english = "The weather in the mountains was cold and wet for the whole week.",
                    *const german = "Das Wetter in den Bergen war die ganze Woche lang kalt und feucht.",
                    *const russian = "Погода в горах всю неделю была холодной и сырой.";
  EXPECT_EQ(filter_that_drops(9, 9, filter, english, german), std::nullopt);
  EXPECT_EQ(filter_that_drops(9, 9, filter, german, english), PairFilter::language);
  EXPECT_EQ(filter_that_drops(9, 9, filter, english, english), PairFilter::language);
  EXPECT_EQ(filter_that_drops(9, 9, filter, english, russian), PairFilter::language);
  EXPECT_EQ(filter_that_drops(9, 9, filter, "No.", "№ 3"), std::nullopt) << "too short to tell";
  const Filter scripts{.languages = filter.languages, .min_script = 0.75, .min_language = 0};
  EXPECT_EQ(filter_that_drops(9, 9, scripts, german, english), std::nullopt);
  EXPECT_EQ(filter_that_drops(9, 9, scripts, english, russian), PairFilter::script);
  EXPECT_EQ(value_of("abcd", "aбвг", scripts), 0.25);
  EXPECT_EQ(value_of("abcd", "abcб 12", scripts), std::nullopt);
  const Filter japanese{.languages = ExpectedLanguages::parse("ja"), .min_script = 0.9, .min_language = 0};
  EXPECT_EQ(value_of("abcd", "コーヒーを飲みます", japanese), std::nullopt);
  EXPECT_EQ(value_of("abcd", "コーヒーabcd", japanese), 1.0 / 3) << "ー is of no script";
  EXPECT_FALSE(ExpectedLanguages::parse("en,xx"));
  EXPECT_FALSE(ExpectedLanguages::parse("en,de,fr"));
  EXPECT_FALSE(ExpectedLanguages::parse("en.de"));
  EXPECT_FALSE(ExpectedLanguages::parse("en,"));
  EXPECT_FALSE(ExpectedLanguages::parse(""));
}

TEST(Filter, DescribesWhatWasDropped) {
  const Filter filter{.max_length = 256, .max_ratio = 2.5};
  EXPECT_EQ(description({}, filter), "");
  EXPECT_EQ(description(dropped_counts({{PairFilter::too_long, 12}}), filter), "12 longer than 256 tokens");
  Dropped all = dropped_counts({{PairFilter::empty, 1},
                                {PairFilter::too_long, 2},
                                {PairFilter::uneven, 3},
                                {PairFilter::identical, 4},
                                {PairFilter::duplicate, 5}});
  all += all;
  EXPECT_EQ(all.total(), 30);
  EXPECT_EQ(description(all, filter),
            "2 with an empty side, 4 longer than 256 tokens, 6 with sides of a ratio above 2.5, 8 with two "
            "identical sides, 10 that occur earlier");
  EXPECT_EQ(description(dropped_counts({{PairFilter::empty, 3}, {PairFilter::duplicate, 1}}),
                        {.has_source = false}),
            "3 empty, 1 that occurs earlier");
}

TEST(Filter, ReportsTheFiltersThatApplyOrDroppedPairs) {
  const Filter filter{.max_copied = 0.6, .languages = ExpectedLanguages::parse("en,de")};
  const Dropped dropped = dropped_counts({{PairFilter::copied, 5}, {PairFilter::duplicate, 1}});
  const std::vector<FilterCount> counts = filter_counts(dropped, filter);
  EXPECT_THAT(counts,
              ElementsAre(FilterCount{PairFilter::empty, "", 0}, FilterCount{PairFilter::too_long, "256", 0},
                          FilterCount{PairFilter::copied, "0.6", 5},
                          FilterCount{PairFilter::language, "en,de: 0.1", 0},
                          FilterCount{PairFilter::duplicate, "", 1}));
  const std::string report = filter_report(counts, 200);
  EXPECT_THAT(report, HasSubstr("\nmax-copied                     0.6              5    2.50 %\n"));
  EXPECT_THAT(report, Not(HasSubstr("max-ratio")));
}

}  // namespace
}  // namespace nmt
