#include "metrics/ter.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace nmt {
namespace {

using ::testing::ElementsAre;

Statistics segment(std::string_view hypothesis, const std::vector<std::string_view>& references) {
  return Ter().segment(hypothesis, references);
}

TEST(Ter, CountsAShiftAsOneEdit) {
  EXPECT_THAT(segment("a b c d", {"a b c d"}), ElementsAre(0, 4));
  EXPECT_THAT(segment("d e f a b c", {"a b c d e f"}), ElementsAre(1, 6));
  EXPECT_THAT(segment("x d e f a b c", {"a b c d e f"}), ElementsAre(2, 6));
  EXPECT_THAT(segment("b a d c", {"a b c d"}), ElementsAre(2, 4));
}

TEST(Ter, CountsInsertionsRemovalsAndSubstitutions) {
  EXPECT_THAT(segment("a c", {"a b c"}), ElementsAre(1, 3));
  EXPECT_THAT(segment("a b b c", {"a b c"}), ElementsAre(1, 3));
  EXPECT_THAT(segment("a X c", {"A b C"}), ElementsAre(1, 3)) << "letter case is not an edit";
}

TEST(Ter, TakesTheNearestReferenceAndTheMeanLength) {
  EXPECT_THAT(segment("a b c", {"a b c d", "a b c"}), ElementsAre(0, 3.5));
}

TEST(Ter, KnowsEmptyTexts) {
  EXPECT_THAT(segment("", {"a b"}), ElementsAre(2, 2));
  EXPECT_THAT(segment("a b", {""}), ElementsAre(2, 0));
  EXPECT_EQ(Ter().score({2, 0}).value, 100);
  EXPECT_EQ(Ter().score({0, 0}).value, 0);
}

// Far from the diagonal, the search finds no path for the common word, but always one to the end.
TEST(Ter, ComparesTextsOfVeryDifferentLength) {
  std::string longer = "a";
  for (int i = 0; i < 400; ++i) longer += " x" + std::to_string(i);
  EXPECT_THAT(segment(longer, {"a"}), ElementsAre(400, 1));
  EXPECT_THAT(segment("a", {longer}), ElementsAre(401, 401));
}

}  // namespace
}  // namespace nmt
