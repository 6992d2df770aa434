// Beam search over handmade distributions.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>

#include "backend/factory.h"
#include "nn/bag_model.h"
#include "nn/weights/inference_weights.h"
#include "nn/weights/parameters.h"
#include "translate/made_up_search.h"
#include "translate/search/search.h"
#include "translate/search/strategies/toolkit_beams.h"

namespace nmt {
namespace {

using testing::Distribution;
using ::testing::ElementsAre;
using testing::Ids;
using testing::ids_of;
using ::testing::IsEmpty;
using testing::kEnd;
using testing::Ranking;
using ::testing::SizeIs;
using testing::table;

double usual_penalty(std::int64_t length) {
  return SearchSettings().formula().penalty(length);
}

BeamSearch begin(const SearchSettings& settings, std::int64_t limit) {
  return testing::begin<BeamSearch>(settings, limit);
}

BeamSearch run(const SearchSettings& settings, std::int64_t limit, const Distribution& distribution) {
  return testing::run<BeamSearch>(settings, limit, distribution);
}

TEST(BeamSearch, GreedyTakesTheBestTokenAndStopsAtTheEnd) {
  // The better sentence, 2 and EOS, begins with the less probable token.
  const Distribution d = table({{{}, {0.1, 0.5, 0.4}}, {{1}, {0.4, 0.3, 0.3}}});
  const BeamSearch greedy = run({.beam = 1}, 10, d);
  EXPECT_THAT(ids_of(greedy), ElementsAre(Ids{1}));
  EXPECT_DOUBLE_EQ(greedy.results()[0].score, std::log(0.5 * 0.4) / usual_penalty(2));
  EXPECT_THAT(ids_of(run({.beam = 2}, 10, d)), ElementsAre(Ids{2}));
}

TEST(BeamSearch, AnEmptyTranslationIsATranslation) {
  for (const int beam : {1, 3}) {
    const BeamSearch search = run({.beam = beam}, 10, table({}));
    EXPECT_THAT(ids_of(search), ElementsAre(Ids{}));
    EXPECT_DOUBLE_EQ(search.results()[0].score, std::log(0.98)) << "of length one: EOS";
  }
}

TEST(BeamSearch, OnlyEndsAmongTheFirstBeamFinish) {
  BeamSearch search = begin({.beam = 2}, 10);
  search.advance(Ranking{{-1, 0, 1}, {-2, 0, 2}, {-3, 0, kEnd}, {-4, 0, 3}});
  EXPECT_THAT(search.live(), SizeIs(2));
  search.advance(Ranking{{-3, 0, 4}, {-3.5, 1, kEnd}, {-4, 0, kEnd}, {-5, 1, 5}});
  EXPECT_THAT(search.live()[0].ids, ElementsAre(1, 4));
  EXPECT_THAT(search.live()[1].ids, ElementsAre(2, 5)) << "the best that do not end live on";
  EXPECT_THAT(ids_of(search), ElementsAre(Ids{2}));
}

TEST(BeamSearch, TheLengthPenaltyChangesTheWinner) {
  // Token 1 follows itself with certainty up to four times; the empty translation is a little more probable.
  const Distribution d = [](const Ids& ids) -> std::vector<double> {
    if (ids.empty()) return {0.52, 0.47, 0.01};
    if (ids.size() < 4) return {0.005, 0.99, 0.005};
    return {0.98, 0.01, 0.01};
  };
  EXPECT_THAT(ids_of(run({.beam = 2, .length_penalty = 0}, 10, d)), ElementsAre(Ids{}));
  EXPECT_THAT(ids_of(run({.beam = 2, .length_penalty = 1}, 10, d)), ElementsAre(Ids{1, 1, 1, 1}));
}

TEST(BeamSearch, AtTheLimitTheUnfinishedFillUp) {
  const Distribution d = [](const Ids&) -> std::vector<double> { return {0.05, 0.6, 0.35}; };
  const BeamSearch greedy = run({.beam = 1}, 3, d);
  EXPECT_THAT(ids_of(greedy), ElementsAre(Ids{1, 1, 1}));
  EXPECT_DOUBLE_EQ(greedy.results()[0].score, 3 * std::log(0.6) / usual_penalty(3));
  const BeamSearch none = run({.beam = 1}, 0, d);
  EXPECT_THAT(ids_of(none), ElementsAre(Ids{}));
}

TEST(BeamSearch, WithoutPatienceABetterOneIsMissed) {
  // The empty translation ends at once; the best one takes five steps.
  const Distribution d = [](const Ids& ids) -> std::vector<double> {
    if (ids.empty()) return {0.3, 0.6, 0.1};
    if (ids.size() < 4) return {0.04, 0.95, 0.01};
    return {0.98, 0.01, 0.01};
  };
  const auto with_patience = [&](std::optional<double> patience, int n_best) {
    return run({.beam = 2, .length_penalty = 1, .n_best = n_best, .patience = patience}, 10, d);
  };
  EXPECT_THAT(ids_of(with_patience(std::nullopt, 1)), ElementsAre(Ids{1, 1, 1, 1}));
  EXPECT_THAT(ids_of(with_patience(10, 1)), ElementsAre(Ids{1, 1, 1, 1}));
  EXPECT_THAT(ids_of(with_patience(0.5, 1)), ElementsAre(Ids{}));
  EXPECT_THAT(ids_of(with_patience(0.5, 2)), ElementsAre(Ids{1, 1, 1, 1}, Ids{})) << "as many as are wanted";
}

TEST(BeamSearch, LetsGoOfWhatCanNoLongerWin) {
  BeamSearch search = begin({.beam = 2, .length_penalty = 0}, 10);
  search.advance(Ranking{{-1, 0, 1}, {-5, 0, 2}});
  search.advance(Ranking{{-2, 0, 1}, {-4, 0, kEnd}, {-6, 1, 1}, {-7, 0, 2}});
  ASSERT_THAT(search.live(), SizeIs(1)) << "-6 is no better than -4";
  EXPECT_THAT(search.live()[0].ids, ElementsAre(1, 1));
  search.advance(Ranking{{-3, 0, 1}, {-6.5, 1, kEnd}, {-6.6, 1, 2}, {-9, 0, kEnd}});
  EXPECT_THAT(search.live(), SizeIs(1)) << "a ranking may still contain continuations of the dropped -6";
  EXPECT_THAT(ids_of(search), ElementsAre(Ids{1}));
}

TEST(BeamSearch, WhatItLetsGoChangesNothing) {
  const SearchSettings settings{.beam = 4, .length_penalty = 0.6, .n_best = 2};
  SearchSettings keeping = settings;
  keeping.patience = 1e9;  // never out of it, and everything that finishes counts
  for (std::uint32_t seed = 0; seed < 50; ++seed) {
    const Distribution d = testing::random_distribution(seed);
    const BeamSearch found = run(settings, 12, d), expected = run(keeping, 12, d);
    EXPECT_EQ(ids_of(found), ids_of(expected)) << seed;
    EXPECT_LT(found.live().size(), expected.live().size()) << seed;
  }
}

TEST(BeamSearch, AWideBeamFindsTheBestOfAllByAnyFormula) {
  constexpr std::int64_t kLimit = 4;
  for (const double alpha : {0.0, 0.7, 1.0, 2.0}) {
    for (const auto normalization : {LengthNormalization::wu, LengthNormalization::power}) {
      for (const double word_penalty : {-1.5, 0.0, 0.8}) {
        const ScoreFormula formula{alpha, normalization, word_penalty};
        for (std::uint32_t seed = 0; seed < 5; ++seed) {
          const Distribution d = testing::random_distribution(seed);
          double best = -1e9;
          const std::function<void(const Ids&, double)> look = [&](const Ids& ids, double total) {
            const std::vector<double> p = d(ids);
            best = std::max(best, formula(total + std::log(p[kEnd]), std::ssize(ids) + 1));
            for (std::int32_t token = 1; std::ssize(ids) < kLimit && token < std::ssize(p); ++token) {
              Ids longer = ids;
              longer.push_back(token);
              look(longer, total + std::log(p[static_cast<std::size_t>(token)]));
            }
          };
          look({}, 0);
          const BeamSearch search = run({.beam = 200,
                                         .length_penalty = alpha,
                                         .length_normalization = normalization,
                                         .word_penalty = word_penalty},
                                        kLimit, d);
          EXPECT_NEAR(search.results()[0].score, best, 1e-12) << alpha << ' ' << word_penalty << ' ' << seed;
        }
      }
    }
  }
}

TEST(BeamSearch, FinishedOnesComeBeforeUnfinishedOnes) {
  BeamSearch search = begin({.beam = 2, .length_penalty = 0, .n_best = 2}, 1);
  search.advance(Ranking{{-1, 0, 1}, {-9, 0, kEnd}, {-10, 0, 2}});
  search.advance(Ranking{{-2, 0, 1}, {-3, 0, 2}, {-11, 1, 1}});
  EXPECT_TRUE(search.done());
  EXPECT_THAT(ids_of(search), ElementsAre(Ids{}, Ids{1}));
  EXPECT_EQ(search.results()[1].score, -1) << "the unfinished one as it was at the limit";
}

TEST(BeamSearch, NBestAreInFallingOrderAndAllDifferent) {
  const Distribution d = table({{{}, {0.3, 0.4, 0.3}}, {{1}, {0.5, 0.3, 0.2}}, {{2}, {0.6, 0.2, 0.2}}});
  const BeamSearch search = run({.beam = 4, .n_best = 4}, 10, d);
  const std::vector<Hypothesis> results = search.results();
  ASSERT_THAT(results, SizeIs(4));
  for (const Hypothesis& hypothesis : results) {
    EXPECT_DOUBLE_EQ(SearchSettings().formula()(hypothesis.log_probability, std::ssize(hypothesis.ids) + 1),
                     hypothesis.score);
  }
  for (std::size_t i = 1; i < results.size(); ++i) {
    EXPECT_GE(results[i - 1].score, results[i].score);
    for (std::size_t j = 0; j < i; ++j) EXPECT_NE(results[j].ids, results[i].ids);
  }
  EXPECT_EQ(results[0].ids, run({.beam = 4}, 10, d).results()[0].ids);
}

TEST(BeamSearch, AVocabularySmallerThanTwoBeams) {
  const Distribution d = [](const Ids&) -> std::vector<double> { return {0.4, 0.6}; };
  const BeamSearch search = run({.beam = 5, .length_penalty = 0, .n_best = 3}, 4, d);
  EXPECT_THAT(ids_of(search), ElementsAre(Ids{}, Ids{1}, Ids{1, 1}));
}

TEST(BeamSearch, AVocabularyOfTheEndAlone) {
  const Distribution d = [](const Ids&) -> std::vector<double> { return {1}; };
  const BeamSearch search = run({.beam = 3, .n_best = 2}, 4, d);
  EXPECT_THAT(ids_of(search), ElementsAre(Ids{})) << "there is no second one";
}

TEST(Search, EmptySourcesAndEmptyBatches) {
  const auto backend = open_backend({.device = "reference"});
  testing::BagModel model({{"width", "4"}, {"source_vocabulary", "3"}, {"target_vocabulary", "3"}});
  allocate_for_inference(model.parameters(), *backend);
  initialize(model.parameters(), *backend, 1);
  Worker worker(*backend);
  const SpecialTokens special_tokens{.source_eos = 2, .target_eos = 2, .start = 1};
  const SearchSettings settings{.beam = 4, .max_length_extra = 5, .n_best = 4};
  const auto found = search(model, worker, {{0, {}, {}}, {1, {0, 1}, {}}}, special_tokens, settings);
  ASSERT_THAT(found, SizeIs(2));
  for (const std::vector<Hypothesis>& hypotheses : found) {
    EXPECT_THAT(hypotheses, SizeIs(4));
    for (const Hypothesis& hypothesis : hypotheses) EXPECT_LE(hypothesis.ids.size(), 7U);
  }
  EXPECT_THAT(search(model, worker, {}, special_tokens, settings), IsEmpty());
}

}  // namespace
}  // namespace nmt
