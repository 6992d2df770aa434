#include "metrics/ngrams.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace nmt {
namespace {

using ::testing::Each;
using ::testing::ElementsAre;

TEST(NgramCounts, MatchAsOftenAsBothHaveThem) {
  const NgramCounts ngrams(Symbols{1, 2, 1, 2, 1}, 3);
  EXPECT_THAT(ngrams.matches(ngrams.counts_in(Symbols{1, 2, 1, 2, 1})), ElementsAre(5, 4, 3));
  EXPECT_THAT(ngrams.matches(ngrams.counts_in(Symbols{2, 1, 2, 9, 1, 1, 1, 1})), ElementsAre(5, 2, 1));
  EXPECT_THAT(ngrams.matches(ngrams.counts_in(Symbols{})), Each(0));
}

TEST(NgramCounts, OfFewSymbolsHaveNoLongOnes) {
  const NgramCounts ngrams(Symbols{7, 0}, 4);
  EXPECT_THAT(ngrams.matches(ngrams.counts_in(Symbols{7, 0, 7, 0})), ElementsAre(2, 1, 0, 0));
  const NgramCounts none(Symbols{}, 4);
  EXPECT_THAT(none.matches(none.counts_in(Symbols{7})), ElementsAre(0, 0, 0, 0));
  EXPECT_EQ(ngrams_in(2, 3), 0U);
  EXPECT_EQ(ngrams_in(3, 3), 1U);
}

}  // namespace
}  // namespace nmt
