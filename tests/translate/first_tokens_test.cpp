// Given first tokens of translations.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "translate/made_up_search.h"
#include "translate/search/sentence.h"
#include "translate/search/strategies/toolkit_beams.h"

namespace nmt {
namespace {

using testing::begin;
using testing::by_power;
using testing::Distribution;
using ::testing::ElementsAre;
using testing::Ids;
using ::testing::IsEmpty;
using testing::kEnd;
using testing::Ranking;
using testing::run;

template <class Strategy>
class FirstTokensTest : public ::testing::Test {};

using Strategies = ::testing::Types<BeamSearch, MarianBeam, HuggingFaceBeam, CTranslate2Beam>;
TYPED_TEST_SUITE(FirstTokensTest, Strategies);

/// After 2 and 1 comes 1, and then EOS; all others are more probable at first.
std::vector<double> hidden(const Ids& ids) {
  if (ids.size() < 2) return {0.5, 0.3, 0.1, 0.1};
  if (ids == Ids{2, 1}) return {0.05, 0.8, 0.1, 0.05};
  return {0.9, 0.05, 0.03, 0.02};
}

TYPED_TEST(FirstTokensTest, CountInTheLengthAloneAndComeFirst) {
  for (const int beam : {1, 3}) {
    const auto search = run<TypeParam>(by_power(beam), 10, hidden, {.first_tokens = {2, 1}});
    const std::vector<Hypothesis> results = search.results();
    ASSERT_FALSE(results.empty());
    EXPECT_THAT(results[0].ids, ElementsAre(2, 1, 1));
    EXPECT_NEAR(results[0].score, std::log(0.8 * 0.9) / 4, 1e-12);
    EXPECT_NEAR(results[0].log_probability, std::log(0.8 * 0.9), 1e-12);
  }
}

TYPED_TEST(FirstTokensTest, OneHypothesisBeginsWithThem) {
  auto search = begin<TypeParam>(by_power(2), 10, {.first_tokens = {2, 1}});
  for (const std::int32_t token : {2, 1}) {
    EXPECT_EQ(search.constraint(0), TokenConstraint{.only = token});
    EXPECT_TRUE(search.is_read_at_every_step());
    EXPECT_FALSE(search.done());
    search.advance(testing::ranking_for(search, hidden));
    EXPECT_EQ(search.hypotheses(), 1);
  }
  EXPECT_FALSE(search.constraint(0));
  search.advance(testing::ranking_for(search, hidden));
  EXPECT_EQ(search.hypotheses(), 2);
}

TYPED_TEST(FirstTokensTest, MayBeForbiddenElsewhere) {
  const Distribution d = [](const Ids&) { return std::vector{0.1, 0.3, 0.5, 0.1}; };
  const SentenceRules rules{.allowed = {.forbidden = token_list({1, 2})}, .first_tokens = {2}};
  const auto search = run<TypeParam>(by_power(2), 10, d, rules);
  for (const Hypothesis& hypothesis : search.results()) {
    ASSERT_FALSE(hypothesis.ids.empty());
    EXPECT_EQ(hypothesis.ids[0], 2);
    for (std::size_t i = 1; i < hypothesis.ids.size(); ++i) EXPECT_EQ(hypothesis.ids[i], 3);
  }
}

TYPED_TEST(FirstTokensTest, CountInTheLimit) {
  const Distribution endless = [](const Ids&) { return std::vector{0.1, 0.2, 0.7}; };
  const auto within = [&](std::int64_t limit, const Ids& first_tokens) {
    return run<TypeParam>(by_power(1), limit, endless, {.first_tokens = first_tokens}).results()[0].ids;
  };
  EXPECT_THAT(within(4, {1, 1}), ElementsAre(1, 1, 2, 2));
  EXPECT_THAT(within(2, {1, 1, 1}), ElementsAre(1, 1));
}

TEST(SearchRequest, FirstTokensAreNotCutByTheLimit) {
  SearchRequest request{
      .source = {7},
      .settings = std::make_shared<const SearchSettings>(
          SearchSettings{.max_length_factor = 1, .max_length_extra = 2}),
      .rules = std::make_shared<const SentenceRules>(SentenceRules{.first_tokens = {1, 2, 3, 4}})};
  EXPECT_EQ(request.longest_translation(), 4);
  request.source = {7, 7, 7, 7, 7};
  EXPECT_EQ(request.longest_translation(), 7);
}

TYPED_TEST(FirstTokensTest, AnImpossibleOneLeavesNothing) {
  const Distribution d = [](const Ids&) { return std::vector{0.5, 0.0, 0.5}; };
  const auto search = run<TypeParam>(by_power(2), 4, d, {.first_tokens = {1}});
  EXPECT_THAT(search.results(), IsEmpty());
}

TEST(CTranslate2Beam, BehindFirstTokensEosHasToBeTheBest) {
  for (const bool is_best : {false, true}) {
    auto search = begin<CTranslate2Beam>(by_power(2), 10, {.first_tokens = {1}});
    search.advance(Ranking{{-1, 0, 1}});
    const Continuation end{-2, 0, kEnd}, other{is_best ? -2.5 : -1.5, 0, 2};
    search.advance(is_best ? Ranking{end, other, {-3, 0, 3}} : Ranking{other, end, {-3, 0, 3}});
    EXPECT_EQ(search.results()[0].ids, is_best ? Ids{1} : (Ids{1, 2}));
  }
}

}  // namespace
}  // namespace nmt
