// What a search expects of its sentences.
#include "translate/search/search_forecast.h"

#include <gtest/gtest.h>

#include <memory>

namespace nmt {
namespace {

/// A sentence after this many steps, whose hypotheses occupy `held` rows.
Sentence sentence(std::int32_t source_rows, std::int64_t steps, std::int32_t held = 0, int beam = 1) {
  Sentence sentence;
  sentence.request.settings = std::make_shared<const SearchSettings>(SearchSettings{.beam = beam});
  sentence.source_rows = source_rows;
  sentence.steps = steps;
  sentence.held = held;
  return sentence;
}

/// Adds some sentences.
void add(SearchForecast& forecast, int count, std::int32_t source_rows, std::int64_t steps) {
  for (int i = 0; i < count; ++i) forecast.add(sentence(source_rows, steps));
}

TEST(SearchForecast, ExpectsTheLengthOfTheSourceButSomeStepsAtFirst) {
  const SearchForecast forecast(25);
  EXPECT_EQ(forecast.steps(4), 25);
  EXPECT_EQ(forecast.steps(40), 40);
}

TEST(SearchForecast, LearnsARatio) {
  SearchForecast forecast(0);
  for (int i = 0; i < 500; ++i) forecast.add(sentence(10 + i % 20, 2 * (10 + i % 20)));
  EXPECT_NEAR(static_cast<double>(forecast.steps(20)), 40, 1);
  EXPECT_NEAR(static_cast<double>(forecast.steps(50)), 100, 3);
}

TEST(SearchForecast, LearnsALengthThatDoesNotDependOnTheSource) {
  SearchForecast forecast(0);
  for (int i = 0; i < 2000; ++i) forecast.add(sentence(3 + i % 3, 25));
  EXPECT_NEAR(static_cast<double>(forecast.steps(3)), 25, 1);
  EXPECT_NEAR(static_cast<double>(forecast.steps(5)), 25, 1);
}

TEST(SearchForecast, ExpectsAsManyTokensMoreForASourceOfALengthThatIsNew) {
  SearchForecast forecast(0);
  add(forecast, 1000, 5, 25);
  EXPECT_NEAR(static_cast<double>(forecast.steps(3)), 23, 1);
  EXPECT_NEAR(static_cast<double>(forecast.steps(9)), 29, 1);
}

TEST(SearchForecast, IsNeverShorterThanTheSource) {
  SearchForecast forecast(0);
  add(forecast, 1000, 10, 5);
  EXPECT_EQ(forecast.steps(10), 10);
}

TEST(SearchForecast, FewSentencesChangeLittle) {
  SearchForecast forecast(25);
  add(forecast, 1, 5, 5);
  EXPECT_EQ(forecast.steps(5), 23);
}

TEST(SearchForecast, CountsWhatIsLongerThanExpectedBeforeItIsDone) {
  const SearchForecast forecast(0);
  std::vector<Sentence> sentences;
  for (int i = 0; i < 100; ++i) sentences.push_back(sentence(4, 3));
  EXPECT_EQ(forecast.with(sentences).steps(4), 4);
  for (Sentence& one : sentences) one.steps = 12;
  EXPECT_EQ(forecast.with(sentences).steps(4), 12);
}

TEST(SearchForecast, ForgetsByAndBy) {
  SearchForecast forecast(0);
  add(forecast, 1000, 1000, 1000);
  add(forecast, 5000, 1000, 3000);
  EXPECT_GT(forecast.steps(1000), 2900);
}

TEST(SearchForecast, LearnsHowManyRowsHypothesesDoNotShare) {
  SearchForecast forecast(25);
  EXPECT_EQ(forecast.rows_apart(), 8);
  for (int i = 0; i < 100; ++i) forecast.add(sentence(25, 25, 25));
  EXPECT_EQ(forecast.rows_apart(), 8) << "a beam of one has no others";
  for (int i = 0; i < 1000; ++i) forecast.add(sentence(25, 25, 25 + 3 * 2, 4));
  EXPECT_NEAR(forecast.rows_apart(), 2, 0.1);
}

TEST(SearchForecast, SeesThatHypothesesShareLessBeforeTheyAreDone) {
  const SearchForecast forecast(25);
  std::vector<Sentence> sentences;
  for (int i = 0; i < 100; ++i) sentences.push_back(sentence(25, 8, 4 * 8, 4));
  EXPECT_EQ(forecast.with(sentences).rows_apart(), 8);
  for (Sentence& one : sentences) {
    one.steps = 20;
    one.held = 4 * 20;
  }
  EXPECT_NEAR(forecast.with(sentences).rows_apart(), 20, 1);
}

}  // namespace
}  // namespace nmt
