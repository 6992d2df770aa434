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

TEST(EoleBeam, EndsWithTheBestContinuation) {
  auto search = begin<EoleBeam>(by_power(3, 1, 1), 10);
  EXPECT_EQ(search.continuations(), 3);
  search.advance(Ranking{{-1, 0, 1}, {-2, 0, kEnd}, {-3, 0, 2}});
  EXPECT_FALSE(search.done()) << "a better one lives";
  EXPECT_THAT(search.live(), SizeIs(2));
  search.advance(Ranking{{-2, 0, 3}, {-3.5, 1, 4}, {-3.6, 0, 5}});
  EXPECT_THAT(search.live(), SizeIs(3)) << "the place of the one that has finished is free again";
  search.advance(Ranking{{-2.5, 0, kEnd}, {-2.6, 0, 6}, {-3.7, 1, 6}});
  EXPECT_TRUE(search.done()) << "whatever might come of the others";
  EXPECT_THAT(ids_of(search), ElementsAre(Ids{1, 3}));
}

TEST(EoleBeam, GoesOnUntilAsManyAsAreWantedHaveFinished) {
  auto search = begin<EoleBeam>(by_power(2, 0, 2), 10);
  search.advance(Ranking{{-0.1, 0, kEnd}, {-9, 0, 1}});
  EXPECT_FALSE(search.done());
  search.advance(Ranking{{-10, 0, 2}, {-11, 0, kEnd}});
  EXPECT_FALSE(search.done()) << "the best one lives";
  search.advance(Ranking{{-12, 0, kEnd}, {-13, 0, 2}});
  EXPECT_TRUE(search.done());
  EXPECT_THAT(ids_of(search), ElementsAre(Ids{}, Ids{1}));
}

TEST(EoleBeam, AtTheLimitAllHaveFinished) {
  auto search = begin<EoleBeam>(by_power(2, 1, 2), 2);
  search.advance(Ranking{{-1, 0, 1}, {-2, 0, 2}});
  search.advance(Ranking{{-2, 0, 4}, {-2.4, 1, kEnd}});
  EXPECT_TRUE(search.done());
  EXPECT_THAT(ids_of(search), ElementsAre(Ids{1, 4}, Ids{2}));
}

TEST(EoleBeam, OfWidthOneIsGreedy) {
  const Distribution d = testing::table({{{}, {0.1, 0.5, 0.4}}, {{1}, {0.4, 0.3, 0.3}}});
  EXPECT_THAT(ids_of(run<EoleBeam>(by_power(1), 10, d)), ElementsAre(Ids{1}));
}

TEST(EoleBeam, IsNoWiderThanTheVocabulary) {
  const Distribution d = [](const Ids&) -> std::vector<double> { return {0.4, 0.6}; };
  EXPECT_THAT(ids_of(run<EoleBeam>(by_power(5, 0, 3), 4, d)), ElementsAre(Ids{}, Ids{1}, Ids{1, 1}));
}

TEST(EoleBeam, IsReadAtEveryStep) {
  EXPECT_TRUE(begin<EoleBeam>(by_power(2), 10).is_read_at_every_step());
}

}  // namespace
}  // namespace nmt
