#include "metrics/ngrams.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace nmt {
namespace {

using ::testing::Each;
using ::testing::ElementsAre;

std::vector<double> matches(const Symbols& sequence, const std::vector<Symbols>& references,
                            std::size_t orders) {
  return ngram_matches(sequence, references, orders);
}

TEST(NgramMatches, AsOftenAsBothHaveThem) {
  const Symbols sequence = {1, 2, 1, 2, 1};
  EXPECT_THAT(matches(sequence, {sequence}, 3), ElementsAre(5, 4, 3));
  EXPECT_THAT(matches(sequence, {{2, 1, 2, 9, 1, 1, 1, 1}}, 3), ElementsAre(5, 2, 1));
  EXPECT_THAT(matches(sequence, {{}}, 3), Each(0));
}

TEST(NgramMatches, OfSeveralReferencesTheOneCountsThatHasMost) {
  const Symbols sequence = {1, 2, 1, 2, 1};
  EXPECT_THAT(matches(sequence, {{1, 2}, {1, 2}}, 3), ElementsAre(2, 1, 0));
  EXPECT_THAT(matches(sequence, {{1, 1, 1}, {2, 1, 2, 1}}, 3), ElementsAre(5, 3, 2));
}

TEST(NgramMatches, FewSymbolsHaveNoLongOnes) {
  EXPECT_THAT(matches({7, 0}, {{7, 0, 7, 0}}, 4), ElementsAre(2, 1, 0, 0));
  EXPECT_THAT(matches({}, {{7}}, 4), ElementsAre(0, 0, 0, 0));
  EXPECT_EQ(ngrams_in(2, 3), 0U);
  EXPECT_EQ(ngrams_in(3, 3), 1U);
}

}  // namespace
}  // namespace nmt
