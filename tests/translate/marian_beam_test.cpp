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

TEST(MarianBeam, IsNarrowerByOneForEachThatHasFinished) {
  auto search = begin<MarianBeam>(by_power(3, 1, 3), 10);
  EXPECT_EQ(search.continuations(), 3);
  search.advance(Ranking{{-1, 0, 1}, {-2, 0, kEnd}, {-3, 0, 2}});
  ASSERT_THAT(search.live(), SizeIs(2));
  EXPECT_EQ(search.hypotheses(), 2);
  search.advance(Ranking{{-2, 0, 3}, {-3.5, 1, 4}, {-3.6, 0, 5}});
  ASSERT_THAT(search.live(), SizeIs(2)) << "the third has no place";
  EXPECT_THAT(search.live()[1].ids, ElementsAre(2, 4));
  search.advance(Ranking{{-2.5, 0, 6}, {-3.6, 1, kEnd}, {-3.7, 0, kEnd}});
  EXPECT_THAT(search.live(), SizeIs(1));
  EXPECT_FALSE(search.done());
  search.advance(Ranking{{-6, 0, kEnd}, {-7, 0, 1}, {-8, 0, 2}});
  EXPECT_TRUE(search.done()) << "none lives";
  EXPECT_THAT(ids_of(search), ElementsAre(Ids{2, 4}, Ids{1, 3, 6}, Ids{}));
  EXPECT_DOUBLE_EQ(search.results()[0].score, -3.6 / 3);
  EXPECT_DOUBLE_EQ(search.results()[1].score, -6.0 / 4);
  EXPECT_DOUBLE_EQ(search.results()[2].score, -2);
}

TEST(MarianBeam, GoesOnWhileAnyLives) {
  auto search = begin<MarianBeam>(by_power(2, 0), 10);
  search.advance(Ranking{{-0.1, 0, kEnd}, {-9, 0, 1}});
  EXPECT_FALSE(search.done()) << "though nothing better can come";
  search.advance(Ranking{{-10, 0, kEnd}, {-11, 0, 1}});
  EXPECT_TRUE(search.done());
  EXPECT_THAT(ids_of(search), ElementsAre(Ids{}));
}

TEST(MarianBeam, AtTheLimitAllHaveFinished) {
  auto search = begin<MarianBeam>(by_power(3, 1, 3), 2);
  search.advance(Ranking{{-1, 0, 1}, {-2, 0, 2}, {-3, 0, 3}});
  search.advance(Ranking{{-2, 0, 4}, {-2.4, 1, kEnd}, {-5, 0, 5}});
  EXPECT_TRUE(search.done());
  EXPECT_THAT(ids_of(search), ElementsAre(Ids{1, 4}, Ids{2}, Ids{1, 5}));
  EXPECT_DOUBLE_EQ(search.results()[0].score, -1);
  EXPECT_DOUBLE_EQ(search.results()[1].score, -1.2) << "EOS is a token as any other";
}

TEST(MarianBeam, OfWidthOneIsGreedy) {
  const Distribution d = testing::table({{{}, {0.1, 0.5, 0.4}}, {{1}, {0.4, 0.3, 0.3}}});
  EXPECT_THAT(ids_of(run<MarianBeam>(by_power(1), 10, d)), ElementsAre(Ids{1}));
  const Distribution endless = [](const Ids&) -> std::vector<double> { return {0.1, 0.2, 0.7}; };
  EXPECT_THAT(ids_of(run<MarianBeam>(by_power(1), 3, endless)), ElementsAre(Ids{2, 2, 2}));
}

TEST(MarianBeam, IsNoWiderThanTheVocabulary) {
  const Distribution d = [](const Ids&) -> std::vector<double> { return {0.4, 0.6}; };
  EXPECT_THAT(ids_of(run<MarianBeam>(by_power(5, 0, 3), 4, d)), ElementsAre(Ids{}, Ids{1, 1, 1, 1}));
}

TEST(MarianBeam, PatienceEndsItSooner) {
  SearchSettings settings = by_power(2, 0);
  settings.patience = 0.5;
  auto search = begin<MarianBeam>(settings, 10);
  search.advance(Ranking{{-0.1, 0, kEnd}, {-9, 0, 1}});
  EXPECT_TRUE(search.done());
}

TEST(MarianBeam, IsReadAtEveryStep) {
  EXPECT_TRUE(begin<MarianBeam>(by_power(2), 10).is_read_at_every_step());
}

}  // namespace
}  // namespace nmt
