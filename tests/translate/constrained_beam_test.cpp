// Lexical constraints, and the search that satisfies them.
#include "translate/search/strategies/constrained_beam.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "data/generated_text.h"
#include "translate/made_up_search.h"
#include "translate/text_model.h"

namespace nmt {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::Ids;
using ::testing::IsEmpty;
using ::testing::ThrowsMessage;

const Vocabulary& text_pieces() {
  static const Vocabulary made = testing::text_vocabulary();
  return made;
}

Constraints constraints(const std::vector<Alternatives>& phrases) {
  return {phrases, text_pieces()};
}

/// Returns how many constraints a text does not satisfy.
std::int64_t missing(const Constraints& constraints, const std::string& text) {
  return constraints.missing(constraints.of(text_pieces().encode(text)));
}

TEST(Constraints, StandInALineWithTabs) {
  EXPECT_THAT(constraints_in(""), IsEmpty());
  EXPECT_THAT(constraints_in("a b\t c | d|\t\t|"), ElementsAre(ElementsAre("a b"), ElementsAre("c", "d")));
}

TEST(Constraints, AreMetByWholeWords) {
  const Constraints one = constraints({{"the dog"}});
  EXPECT_EQ(missing(one, "the dog"), 0);
  EXPECT_EQ(missing(one, "a cat sees the dog."), 0) << "no word continues with a period";
  EXPECT_EQ(missing(one, "the dogs"), 1);
  EXPECT_EQ(missing(one, "the dogs see the dog"), 0);
  EXPECT_EQ(missing(one, "a dog"), 1);
  EXPECT_EQ(missing(one, "the the dog"), 0);
  EXPECT_EQ(one.left(one.of(text_pieces().encode("the"))) + 1, one.total());
  const Constraints several = constraints({{"dog", "cat"}, {"the cat"}, {"sees"}});
  EXPECT_EQ(missing(several, "a dog sees"), 1);
  EXPECT_EQ(missing(several, "the cat sees"), 0) << "one occurrence meets two";
  const Constraints foreign = constraints({{"\u4e00"}, {"\u4e00", "dog"}});
  EXPECT_EQ(foreign.impossible(), 1);
  EXPECT_EQ(missing(foreign, "the dog"), 1);
  const Constraints mixed = constraints({{"cat"}, {"\u4e00"}, {"dog"}});
  EXPECT_THAT(mixed.met(mixed.of(text_pieces().encode("the dog"))), ElementsAre(false, false, true));
  EXPECT_THAT(mixed.met(mixed.of(text_pieces().encode("the cat"))), ElementsAre(true, false, false));
  EXPECT_THAT([] { constraints({{" "}}); }, ThrowsMessage<UnusablePhrase>(HasSubstr("no word")));
}

/// Returns a distribution over all pieces that favors some, and EOS after `length` tokens.
testing::Distribution favouring(const Ids& favoured, std::size_t length) {
  return [=](const Ids& ids) {
    std::vector<double> p(static_cast<std::size_t>(text_pieces().size()), 1e-4);
    for (std::size_t i = 0; i < favoured.size(); ++i)
      p[static_cast<std::size_t>(favoured[i])] = 0.1 + 0.01 * static_cast<double>((i + ids.size()) % 7);
    p[static_cast<std::size_t>(text_pieces().end())] = ids.size() < length ? 1e-3 : 0.9;
    return p;
  };
}

ConstrainedBeam begin(const SearchSettings& settings, std::int64_t limit, const SentenceRules& rules) {
  return ConstrainedBeam(testing::sentence_search(settings, limit, rules, text_pieces().end()));
}

/// Searches to the end.
ConstrainedBeam run(const SearchSettings& settings, std::int64_t limit,
                    const std::shared_ptr<const Constraints>& constraints,
                    const testing::Distribution& distribution) {
  ConstrainedBeam search = begin(settings, limit, {.constraints = constraints});
  while (!search.done()) search.advance(testing::ranking_for(search, distribution, true));
  return search;
}

TEST(ConstrainedBeam, MeetsAllInEveryResult) {
  const testing::Distribution d = favouring(text_pieces().encode("a cat runs"), 4);
  for (const int beam : {1, 2, 5}) {
    for (const std::vector<Alternatives>& phrases : std::vector<std::vector<Alternatives>>{
             {{"dog"}}, {{"the dog"}, {"sees"}}, {{"house", "tree"}, {"cat"}, {"the"}, {"and"}}}) {
      SCOPED_TRACE(beam);
      const auto all = std::make_shared<const Constraints>(phrases, text_pieces());
      const auto found = run({.beam = beam, .n_best = beam}, 40, all, d).results();
      ASSERT_FALSE(found.empty());
      for (const Hypothesis& hypothesis : found) {
        EXPECT_EQ(hypothesis.missing, 0);
        EXPECT_EQ(all->missing(all->of(hypothesis.ids)), 0) << text_pieces().decode(hypothesis.ids);
        EXPECT_EQ(missing(*all, text_pieces().decode(hypothesis.ids)), 0);
      }
    }
  }
}

TEST(ConstrainedBeam, TellsWhatItCannotMeet) {
  const testing::Distribution d = favouring(text_pieces().encode("a cat runs"), 4);
  const auto all = std::make_shared<const Constraints>(constraints({{"the dog"}, {"sees"}, {"house"}}));
  const auto within = [&](std::int64_t limit) {
    return run({.beam = 3}, limit, all, d).results()[0].missing;
  };
  EXPECT_EQ(within(all->total()), 0) << "there is just enough time";
  EXPECT_GT(within(all->total() - 1), 0);
}

TEST(ConstrainedBeam, FirstTokensCount) {
  const Ids first = text_pieces().encode("the");
  const auto all = std::make_shared<const Constraints>(constraints({{"the dog"}}));
  ConstrainedBeam search = begin({}, 9, {.first_tokens = first, .constraints = all});
  const testing::Distribution d = favouring(first, 4);
  for (std::size_t i = 0; i < first.size(); ++i) search.advance(testing::ranking_for(search, d, true));
  EXPECT_EQ(search.wanted(0), all->next_tokens(all->of(first)));
  EXPECT_NE(search.wanted(0), all->next_tokens(all->begin()));
}

TEST(ConstrainedBeam, ForbiddenTokensAreNotWanted) {
  const auto all = std::make_shared<const Constraints>(constraints({{"dog"}}));
  EXPECT_FALSE(begin({}, 9, {.constraints = all}).wanted(0).empty());
  const AllowedTokens others{.forbidden = token_list(all->tokens())};
  EXPECT_THAT(begin({}, 9, {.allowed = others, .constraints = all}).wanted(0), IsEmpty());
}

}  // namespace
}  // namespace nmt
