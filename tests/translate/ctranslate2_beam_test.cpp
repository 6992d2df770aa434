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

TEST(CTranslate2Beam, EosDoesNotComeFirst) {
  auto search = begin<CTranslate2Beam>(by_power(2, 1, 2), 2);
  EXPECT_TRUE(search.is_read_at_every_step());
  const Distribution d = [](const Ids& ids) -> std::vector<double> {
    return ids.empty() ? std::vector{0.5, 0.3, 0.2} : std::vector{0.5, 0.25, 0.25};
  };
  search.advance(testing::ranking_for(search, d));
  ASSERT_THAT(search.live(), SizeIs(2));
  EXPECT_THAT(search.live()[0].ids, ElementsAre(1));
  EXPECT_NEAR(search.live()[0].total, std::log(0.6), 1e-12) << "its probability is shared out";
  EXPECT_FALSE(search.constraint(0));
  EXPECT_FALSE(search.is_read_at_every_step());
  search.advance(Ranking{{std::log(0.3), 0, kEnd}, {std::log(0.2), 1, 1}});
  EXPECT_THAT(ids_of(search), ElementsAre(Ids{1}, Ids{2, 1}));
  EXPECT_DOUBLE_EQ(search.results()[0].score, std::log(0.3) / 2);
}

TEST(CTranslate2Beam, WhatIsForbiddenHasNoShareInTheProbability) {
  const Distribution d = [](const Ids&) -> std::vector<double> { return {0.2, 0.5, 0.3}; };
  const auto search = run<CTranslate2Beam>(by_power(2), 10, d, {.allowed = {.forbidden = token_list({1})}});
  EXPECT_THAT(ids_of(search), ElementsAre(Ids{2}));
  EXPECT_NEAR(search.results()[0].log_probability, std::log(0.4), 1e-12);
}

TEST(CTranslate2Beam, EndsWhenTheBeamHasFinished) {
  auto search = begin<CTranslate2Beam>(by_power(2, 1, 2), 10);
  search.advance(Ranking{{-1, 0, 1}, {-2, 0, 2}, {-3, 0, 3}, {-4, 0, 4}});
  search.advance(Ranking{{-2, 0, kEnd}, {-2.5, 1, 3}, {-3, 1, kEnd}, {-3.5, 0, 5}});
  ASSERT_THAT(search.live(), SizeIs(2)) << "the beam stays full";
  EXPECT_THAT(search.live()[1].ids, ElementsAre(1, 5));
  EXPECT_FALSE(search.done()) << "what ends after the beam does not count";
  search.advance(Ranking{{-2.6, 0, kEnd}, {-2.7, 0, 3}, {-5, 1, kEnd}, {-5.5, 1, 5}});
  EXPECT_TRUE(search.done());
  EXPECT_THAT(ids_of(search), ElementsAre(Ids{2, 3}, Ids{1}));
  EXPECT_DOUBLE_EQ(search.results()[0].score, -2.6 / 3);
}

TEST(CTranslate2Beam, PatienceTellsHowMany) {
  SearchSettings settings = by_power(2);
  const auto finish_one = [&](double patience) {
    settings.patience = patience;
    auto search = begin<CTranslate2Beam>(settings, 10);
    search.advance(Ranking{{-1, 0, 1}, {-2, 0, 2}, {-3, 0, 3}, {-4, 0, 4}});
    search.advance(Ranking{{-2, 0, kEnd}, {-2.5, 1, 3}, {-3, 1, kEnd}, {-3.5, 0, 5}});
    return search;
  };
  EXPECT_TRUE(finish_one(0.5).done());
  EXPECT_TRUE(finish_one(0.7).done()) << "1.4 is about 1";
  CTranslate2Beam patient = finish_one(1.5);
  patient.advance(Ranking{{-2.6, 0, kEnd}, {-2.7, 0, 3}, {-5, 1, kEnd}, {-5.5, 1, 5}});
  EXPECT_FALSE(patient.done());
  patient.advance(Ranking{{-2.9, 0, kEnd}, {-3, 0, 3}, {-5, 1, kEnd}, {-5.5, 1, 5}});
  EXPECT_TRUE(patient.done());
}

TEST(CTranslate2Beam, WithoutALengthPenaltyTheFirstOfARankingEndsIt) {
  auto search = begin<CTranslate2Beam>(by_power(2, 0), 10);
  search.advance(Ranking{{-1, 0, 1}, {-2, 0, 2}, {-3, 0, 3}, {-4, 0, 4}});
  search.advance(Ranking{{-2, 0, 4}, {-2.5, 1, kEnd}, {-3, 0, 3}, {-3.5, 0, 5}});
  search.advance(Ranking{{-3, 0, 4}, {-3.5, 1, kEnd}, {-4, 0, 3}, {-4.5, 0, 5}});
  EXPECT_FALSE(search.done()) << "though two have finished";
  search.advance(Ranking{{-3.1, 0, kEnd}, {-3.5, 1, 1}, {-4, 0, 3}, {-4.5, 0, 5}});
  EXPECT_TRUE(search.done());
  EXPECT_THAT(ids_of(search), ElementsAre(Ids{2}));
}

TEST(CTranslate2Beam, AtTheLimitTheFirstOfTheBeamAreTaken) {
  auto search = begin<CTranslate2Beam>(by_power(2, 1, 2), 2);
  search.advance(Ranking{{-1, 0, 1}, {-2, 0, 2}, {-3, 0, 3}, {-4, 0, 4}});
  search.advance(Ranking{{-2, 0, kEnd}, {-3, 1, 3}, {-3.1, 1, kEnd}, {-3.2, 0, 5}});
  EXPECT_TRUE(search.done());
  EXPECT_THAT(ids_of(search), ElementsAre(Ids{1}, Ids{2, 3})) << "and none in the place of what has ended";
}

TEST(CTranslate2Beam, OfWidthOneIsGreedy) {
  const Distribution d = testing::table({{{}, {0.6, 0.3, 0.1}}, {{1}, {0.4, 0.3, 0.3}}});
  SearchSettings settings = by_power(1);
  for (const double patience : {1.0, 5.0}) {
    settings.patience = patience;
    EXPECT_THAT(ids_of(run<CTranslate2Beam>(settings, 10, d)), ElementsAre(Ids{1}));
  }
  const Distribution endless = [](const Ids&) -> std::vector<double> { return {0.1, 0.2, 0.7}; };
  EXPECT_THAT(ids_of(run<CTranslate2Beam>(settings, 3, endless)), ElementsAre(Ids{2, 2, 2}));
}

}  // namespace
}  // namespace nmt
