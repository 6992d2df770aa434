// Rules for the continuations of hypotheses.
#include "translate/search/strategies/token_rules.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "translate/made_up_search.h"
#include "translate/search/phrase.h"
#include "translate/search/strategies/toolkit_beams.h"

namespace nmt {
namespace {

using ::testing::ElementsAre;
using testing::Ids;
using testing::ids_of;
using ::testing::IsEmpty;
using testing::kEnd;

TokenRules rules(const SearchSettings& settings, const AllowedTokens& allowed = {}, std::int64_t least = 0,
                 std::int64_t limit = 20) {
  return TokenRules(testing::sentence_search(settings, limit, {.allowed = allowed}), least, false);
}

Ids forbidden(const TokenRules& rules, const Ids& ids) {
  const TokenConstraint constraint = rules.constraint(std::ssize(ids), ids);
  return constraint.forbidden ? *constraint.forbidden : Ids();
}

TEST(TokenRules, NothingIsForbiddenByItself) {
  EXPECT_FALSE(rules({}).constraint(3, {1, 1, 1}));
  EXPECT_FALSE(rules({}).is_changing(3));
  EXPECT_THAT(rules({}).repeated({1, 1, 1}), IsEmpty());
}

TEST(TokenRules, EosDoesNotComeBeforeTheShortest) {
  const TokenRules of_three = rules({}, {.forbidden = token_list({4, 6})}, 3);
  EXPECT_THAT(forbidden(of_three, {1, 2}), ElementsAre(kEnd, 4, 6));
  EXPECT_TRUE(of_three.is_changing(2));
  EXPECT_THAT(forbidden(of_three, {1, 2, 3}), ElementsAre(4, 6));
  EXPECT_FALSE(of_three.is_changing(3));
  EXPECT_THAT(forbidden(rules({}, {}, 9, 2), {1}), ElementsAre(kEnd));
  EXPECT_THAT(forbidden(rules({}, {}, 9, 2), {1, 2}), IsEmpty()) << "the longest is shorter";
}

TEST(TokenRules, NoNgramComesTwice) {
  const TokenRules of_two = rules({.no_repeat_ngram_size = 2});
  EXPECT_TRUE(of_two.is_changing(0));
  EXPECT_THAT(forbidden(of_two, {}), IsEmpty());
  EXPECT_THAT(forbidden(of_two, {5}), IsEmpty());
  EXPECT_THAT(forbidden(of_two, {5, 5}), ElementsAre(5));
  EXPECT_THAT(forbidden(of_two, {5, 7, 5, 3, 5}), ElementsAre(3, 7));
  EXPECT_THAT(forbidden(of_two, {5, 7, 5, 3}), IsEmpty());
  const TokenRules of_one = rules({.no_repeat_ngram_size = 1}, {.forbidden = token_list({8})});
  EXPECT_THAT(forbidden(of_one, {5, 7}), ElementsAre(5, 7, 8));
  const TokenRules of_three = rules({.no_repeat_ngram_size = 3});
  EXPECT_THAT(forbidden(of_three, {1, 2, 4, 1, 2}), ElementsAre(4));
  EXPECT_THAT(forbidden(of_three, {1, 2}), IsEmpty());
}

TEST(TokenRules, PhrasesDoNotComeToTheirEnds) {
  const std::vector<Phrase> phrases = {Phrase(Ids{1, 2, 4}), Phrase(Ids{2, 6}), Phrase(Ids{1, 2, 3})};
  const TokenRules of_three =
      rules({}, {.forbidden = token_list({8}),
                 .forbidden_phrases = std::make_shared<const std::vector<Phrase>>(phrases)});
  EXPECT_TRUE(of_three.is_changing(5));
  EXPECT_THAT(forbidden(of_three, {}), ElementsAre(8));
  EXPECT_THAT(forbidden(of_three, {1}), ElementsAre(8));
  EXPECT_THAT(forbidden(of_three, {5, 1, 2}), ElementsAre(3, 4, 6, 8));
  EXPECT_THAT(forbidden(of_three, {2}), ElementsAre(6, 8));
  EXPECT_THAT(forbidden(of_three, {1, 2, 5}), ElementsAre(8));
}

TEST(TokenRules, RepeatedTokensAreListedOnce) {
  const TokenRules penalizing = rules({.repetition_penalty = 1.5});
  EXPECT_THAT(penalizing.repeated({7, 2, 7}), ElementsAre(2, 7));
  EXPECT_TRUE(penalizing.is_changing(4));
}

TEST(TokenRules, HoldForEachHypothesisOfABeam) {
  // Without the rule, 1 would follow itself forever.
  const testing::Distribution d = [](const Ids& ids) -> std::vector<double> {
    if (ids.size() > 4) return {0.98, 0.01, 0.01};
    return {0.01, 0.9, 0.09};
  };
  SearchSettings settings{.beam = 2, .length_penalty = 0};
  EXPECT_THAT(ids_of(testing::run<BeamSearch>(settings, 10, d)), ElementsAre(Ids{1, 1, 1, 1, 1}));
  settings.no_repeat_ngram_size = 2;
  const auto search = testing::run<BeamSearch>(settings, 10, d);
  const Ids best = search.results()[0].ids;
  for (std::size_t i = 0; i + 1 < best.size(); ++i) {
    for (std::size_t j = i + 1; j + 1 < best.size(); ++j)
      EXPECT_FALSE(best[i] == best[j] && best[i + 1] == best[j + 1]);
  }
  settings.no_repeat_ngram_size = 0;
  settings.min_length = 7;
  EXPECT_EQ(testing::run<BeamSearch>(settings, 10, d).results()[0].ids.size(), 7U);
}

}  // namespace
}  // namespace nmt
