// Diverse beam search, early ends, and lists of different texts.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "translate/made_up_search.h"
#include "translate/search/strategies/beam_groups.h"

namespace nmt {
namespace {

using testing::Distribution;
using ::testing::ElementsAre;
using testing::Ids;
using testing::ids_of;
using testing::kEnd;
using testing::random_distribution;
using testing::Ranking;

/// Searches to the end, with all continuations of the chosen tokens.
DiverseBeam diverse_search(const SearchSettings& settings, std::int64_t limit,
                           const Distribution& distribution) {
  auto beam = testing::begin<DiverseBeam>(settings, limit);
  std::vector<std::pair<Ids, double>> live(static_cast<std::size_t>(beam.hypotheses()));
  while (!beam.done()) {
    Ranking ranking;
    for (std::size_t h = 0; h < live.size(); ++h) {
      const std::vector<double> p = distribution(live[h].first);
      for (std::size_t token = 0; token < p.size(); ++token)
        ranking.push_back(
            {live[h].second + std::log(p[token]), static_cast<double>(h), static_cast<double>(token)});
    }
    std::ranges::stable_sort(ranking, std::greater(), &Continuation::total);
    beam.advance(ranking);
    std::vector<std::pair<Ids, double>> next;
    for (const Continuation& chosen : beam.chosen()) {
      next.emplace_back(live[static_cast<std::size_t>(chosen.row)].first, chosen.total);
      next.back().first.push_back(static_cast<std::int32_t>(chosen.token));
    }
    live = std::move(next);
    EXPECT_EQ(std::ssize(live), beam.hypotheses());
  }
  return beam;
}

TEST(DiverseBeam, GroupsAvoidWhatOthersHaveTaken) {
  // 1 is always the most probable token, and 2 is nearly as probable.
  const Distribution d = [](const Ids& ids) -> std::vector<double> {
    if (ids.size() == 3) return {0.98, 0.01, 0.005, 0.005};
    return {0.01, 0.5, 0.4, 0.09};
  };
  SearchSettings settings{.beam = 2, .length_penalty = 0, .n_best = 2, .beam_groups = 2, .diversity = 0};
  EXPECT_THAT(ids_of(diverse_search(settings, 8, d)), ElementsAre(Ids{1, 1, 1})) << "both find the same";
  settings.diversity = 0.5;
  const DiverseBeam diverse = diverse_search(settings, 8, d);
  EXPECT_THAT(ids_of(diverse), ElementsAre(Ids{1, 1, 1}, Ids{2, 2, 2}));
  const std::vector<Hypothesis> found = diverse.results();
  EXPECT_DOUBLE_EQ(found[1].log_probability, 3 * std::log(0.4) + std::log(0.98)) << "without the penalty";
  settings.diversity = 0.1;
  EXPECT_THAT(ids_of(diverse_search(settings, 8, d)), ElementsAre(Ids{1, 1, 1})) << "less than log 5/4";
}

TEST(DiverseBeam, WithoutDiversityEachGroupIsASearch) {
  for (std::uint32_t seed = 1; seed <= 20; ++seed) {
    SCOPED_TRACE(seed);
    const Distribution d = random_distribution(seed);
    const auto lone = testing::run<BeamSearch>({.beam = 2, .n_best = 1}, 7, d);
    const DiverseBeam groups =
        diverse_search({.beam = 6, .n_best = 1, .beam_groups = 3, .diversity = 0}, 7, d);
    EXPECT_EQ(ids_of(groups), ids_of(lone));
    EXPECT_EQ(groups.results()[0].score, lone.results()[0].score);
  }
}

TEST(BeamSearch, DoesNotEndBeforeEosIsProbableEnough) {
  const Distribution d = [](const Ids& ids) -> std::vector<double> {
    if (ids.size() >= 4) return {0.9, 0.05, 0.05};
    return {0.3, 0.6, 0.1};
  };
  SearchSettings settings{.beam = 2, .length_penalty = 0};
  EXPECT_THAT(ids_of(testing::run<BeamSearch>(settings, 9, d)), ElementsAre(Ids{}));
  settings.end_threshold = 0.4;
  EXPECT_THAT(ids_of(testing::run<BeamSearch>(settings, 9, d)), ElementsAre(Ids{})) << "it is half";
  settings.end_threshold = 0.6;
  EXPECT_THAT(ids_of(testing::run<BeamSearch>(settings, 9, d)), ElementsAre(Ids{1, 1, 1, 1}));
}

TEST(BeamSearch, FindsNoTwoOfTheSameReading) {
  for (std::uint32_t seed = 1; seed <= 20; ++seed) {
    SCOPED_TRACE(seed);
    SearchSettings settings{.beam = 6, .n_best = 6, .distinct = true};
    // 2 and 3 have the same text.
    const SentenceRules rules{.reading = [](const Ids& ids) {
      std::string text;
      for (const std::int32_t id : ids) text += id == 1 ? 'a' : 'b';
      return text;
    }};
    const auto search = testing::run<BeamSearch>(settings, 5, random_distribution(seed), rules);
    std::set<std::string> texts;
    for (const Ids& ids : ids_of(search)) EXPECT_TRUE(texts.insert(rules.reading(ids)).second);
    EXPECT_GT(texts.size(), 1U);
    SearchSettings usual = settings;
    usual.distinct = false;
    EXPECT_EQ(ids_of(search)[0], ids_of(testing::run<BeamSearch>(usual, 5, random_distribution(seed)))[0]);
  }
}

}  // namespace
}  // namespace nmt
