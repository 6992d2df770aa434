#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "translate/made_up_search.h"
#include "translate/search/strategies/toolkit_beams.h"

namespace nmt {
namespace {

using testing::begin;
using testing::by_power;
using testing::Distribution;
using ::testing::ElementsAre;
using testing::Ids;
using testing::ids_of;
using testing::kEnd;
using testing::Ranking;
using testing::run;
using ::testing::SizeIs;

TEST(HuggingFaceBeam, OnlyEndsAmongTheFirstBeamCountAndTheBeamStaysFull) {
  auto search = begin<HuggingFaceBeam>(by_power(2), 10);
  search.advance(Ranking{{-1, 0, 1}, {-2, 0, kEnd}, {-3, 0, 2}, {-4, 0, 3}});
  ASSERT_THAT(search.live(), SizeIs(2));
  EXPECT_THAT(search.live()[1].ids, ElementsAre(2));
  search.advance(Ranking{{-1.5, 0, 4}, {-3.5, 1, 5}, {-3.6, 0, kEnd}, {-3.7, 1, kEnd}});
  EXPECT_THAT(search.live(), SizeIs(2));
  EXPECT_THAT(ids_of(search), ElementsAre(Ids{})) << "what ends after the beam does not count";
}

TEST(HuggingFaceBeam, EndsWhenTheWorstKeptIsAsGoodAsTheBestContinuationAtItsLength) {
  auto search = begin<HuggingFaceBeam>(by_power(2, 1, 2), 10);
  search.advance(Ranking{{-1, 0, 1}, {-2, 0, kEnd}, {-3, 0, 2}, {-4, 0, 3}});
  EXPECT_FALSE(search.done()) << "one is kept";
  search.advance(Ranking{{-1.5, 0, 4}, {-3.2, 0, kEnd}, {-3.5, 1, 5}, {-3.7, 1, 6}});
  EXPECT_FALSE(search.done()) << "the worst has -2, the best could have -1.5 / 2";
  search.advance(Ranking{{-4.5, 0, 4}, {-6.2, 0, 5}, {-6.5, 1, 5}, {-6.7, 1, 6}});
  EXPECT_FALSE(search.done()) << "-4.5 / 3 is still better";
  search.advance(Ranking{{-8.1, 0, 4}, {-8.2, 0, 5}, {-8.5, 1, 5}, {-8.7, 1, 6}});
  EXPECT_TRUE(search.done()) << "-8.1 / 4 is not, though at the limit it would be";
  EXPECT_THAT(ids_of(search), ElementsAre(Ids{1}, Ids{}));
  EXPECT_DOUBLE_EQ(search.results()[0].score, -1.6);
}

TEST(HuggingFaceBeam, TheBestContinuationMayBeTheOneThatEnds) {
  auto search = begin<HuggingFaceBeam>(by_power(1), 10);
  search.advance(Ranking{{-1, 0, kEnd}, {-1.1, 0, 1}});
  EXPECT_TRUE(search.done());
  EXPECT_THAT(ids_of(search), ElementsAre(Ids{}));
}

TEST(HuggingFaceBeam, KeepsTheBest) {
  auto search = begin<HuggingFaceBeam>(by_power(2, 0, 2), 10);
  search.advance(Ranking{{-1, 0, 1}, {-5, 0, kEnd}, {-6, 0, 2}, {-7, 0, 3}});
  search.advance(Ranking{{-1.5, 0, 1}, {-4, 0, kEnd}, {-6, 1, 2}, {-7, 1, 3}});
  search.advance(Ranking{{-2, 0, kEnd}, {-3, 0, 1}, {-6, 1, 2}, {-7, 1, 3}});
  EXPECT_THAT(ids_of(search), ElementsAre(Ids{1, 1}, Ids{1})) << "the empty one had the lowest score";
}

TEST(HuggingFaceBeam, PatienceOfOneIsEarlyStopping) {
  SearchSettings settings = by_power(2);
  settings.patience = 1;
  auto search = begin<HuggingFaceBeam>(settings, 10);
  search.advance(Ranking{{-1, 0, 1}, {-2, 0, kEnd}, {-3, 0, 2}, {-4, 0, 3}});
  EXPECT_FALSE(search.done());
  search.advance(Ranking{{-1.5, 0, 4}, {-3.2, 0, kEnd}, {-3.5, 1, 5}, {-3.7, 1, 6}});
  EXPECT_TRUE(search.done());
}

TEST(HuggingFaceBeam, AtTheLimitTheLiveOnesCompete) {
  auto search = begin<HuggingFaceBeam>(by_power(2, 1, 2), 2);
  search.advance(Ranking{{-1, 0, 1}, {-2, 0, kEnd}, {-3, 0, 2}, {-4, 0, 3}});
  search.advance(Ranking{{-1.5, 0, 4}, {-3, 1, 5}, {-3.5, 1, kEnd}, {-3.7, 1, 6}});
  EXPECT_TRUE(search.done());
  EXPECT_THAT(ids_of(search), ElementsAre(Ids{1, 4}, Ids{2, 5})) << "-2 is worse than -3 / 2";
  EXPECT_DOUBLE_EQ(search.results()[0].score, -0.75);
}

TEST(HuggingFaceBeam, OfWidthOneIsGreedy) {
  const Distribution d = testing::table({{{}, {0.1, 0.5, 0.4}}, {{1}, {0.4, 0.3, 0.3}}});
  EXPECT_THAT(ids_of(run<HuggingFaceBeam>(by_power(1), 10, d)), ElementsAre(Ids{1}));
  const Distribution endless = [](const Ids&) -> std::vector<double> { return {0.1, 0.2, 0.7}; };
  EXPECT_THAT(ids_of(run<HuggingFaceBeam>(by_power(1), 3, endless)), ElementsAre(Ids{2, 2, 2}));
}

TEST(HuggingFaceBeam, AVocabularySmallerThanTwoBeams) {
  const Distribution d = [](const Ids&) -> std::vector<double> { return {0.4, 0.6}; };
  EXPECT_THAT(ids_of(run<HuggingFaceBeam>(by_power(5, 0, 3), 4, d)), ElementsAre(Ids{}, Ids{1}, Ids{1, 1}));
}

}  // namespace
}  // namespace nmt
