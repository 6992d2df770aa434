#include "metrics/ter.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

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

using ::testing::ElementsAre;

/// Computes the whole matrix of distances, restricted to cells from `begin(row)` to `end(row)`.
int plain_distance(const Symbols& hypothesis, const Symbols& reference) {
  constexpr int kOutside = 1 << 20;
  const std::size_t rows = hypothesis.size(), columns = reference.size();
  const double ratio = static_cast<double>(columns) / static_cast<double>(std::max<std::size_t>(rows, 1));
  const double beam = ratio / 2 > 25 ? std::ceil(ratio / 2 + 25) : 25;
  std::vector<std::vector<int>> cells(rows + 1, std::vector<int>(columns + 1, kOutside));
  for (std::size_t j = 0; j <= columns; ++j) cells[0][j] = static_cast<int>(j);
  for (std::size_t i = 1; i <= rows; ++i) {
    const double diagonal = std::floor(static_cast<double>(i) * ratio);
    for (std::size_t j = 0; j <= columns; ++j) {
      const auto column = static_cast<double>(j);
      if (column < diagonal - beam || (i < rows && column >= diagonal + beam)) continue;
      int best = cells[i - 1][j] + 1;
      if (j > 0) {
        best = std::min(best, cells[i][j - 1] + 1);
        best = std::min(best, cells[i - 1][j - 1] + (hypothesis[i - 1] == reference[j - 1] ? 0 : 1));
      }
      cells[i][j] = best;
    }
  }
  return cells[rows][columns];
}

Symbols random_text(std::mt19937& random, std::size_t most) {
  Symbols text(random() % (most + 1));
  for (auto& word : text) word = random() % 5;
  return text;
}

TEST(EditDistance, IsThatOfTheWholeMatrixWithinTheBand) {
  std::mt19937 random(3);
  for (int i = 0; i < 300; ++i) {
    const std::size_t most = i % 3 == 0 ? 150 : 20;
    const Symbols reference = random_text(random, most), hypothesis = random_text(random, most);
    EditDistance distance(reference, hypothesis.size());
    EXPECT_EQ(distance.set(hypothesis), plain_distance(hypothesis, reference));
  }
}

// Words that have moved too far do not match, although as many removals and insertions would suffice.
TEST(EditDistance, LooksNearTheDiagonalAlone) {
  constexpr int kWords = 80;
  for (const auto& [moved, distance] : {std::pair(25, 50), {26, 80}, {-24, 48}, {-25, 80}}) {
    Symbols reference, hypothesis;
    for (int i = 0; i < kWords; ++i) {
      const int from = i - moved;
      const bool is_there = from >= 0 && from < kWords;
      reference.push_back(static_cast<std::uint32_t>(i));
      hypothesis.push_back(static_cast<std::uint32_t>(is_there ? from : 1000 + i));
    }
    EXPECT_EQ(EditDistance(reference, hypothesis.size()).set(hypothesis), distance) << moved;
    EXPECT_EQ(plain_distance(hypothesis, reference), distance) << moved;
  }
}

TEST(EditDistance, PathHasSubstitutionsBeforeRemovalsBeforeInsertions) {
  const Symbols reference = {1, 2, 3, 4}, hypothesis = {1, 9, 3, 4, 5};
  EditDistance distance(reference, hypothesis.size());
  EXPECT_EQ(distance.set(hypothesis), 2);
  EXPECT_THAT(distance.path(),
              ElementsAre(Edit::keep, Edit::substitute, Edit::keep, Edit::keep, Edit::remove));
  const Symbols none;
  EditDistance insertions(reference, 0);
  EXPECT_EQ(insertions.set(none), 4);
  EXPECT_THAT(insertions.path(), ElementsAre(Edit::insert, Edit::insert, Edit::insert, Edit::insert));
  const Symbols shorter = {2, 1}, longer = {1, 2};
  EditDistance swapped(longer, shorter.size());
  EXPECT_EQ(swapped.set(shorter), 2);
  EXPECT_THAT(swapped.path(), ElementsAre(Edit::substitute, Edit::substitute));
}

TEST(EditDistance, PathsTurnTheHypothesisIntoTheReference) {
  std::mt19937 random(4);
  for (int i = 0; i < 100; ++i) {
    const Symbols reference = random_text(random, 20), hypothesis = random_text(random, 20);
    EditDistance distance(reference, hypothesis.size());
    const int edits = distance.set(hypothesis);
    std::size_t row = 0, column = 0;
    int counted = 0;
    for (const Edit edit : distance.path()) {
      const bool is_kept = edit == Edit::keep;
      counted += is_kept ? 0 : 1;
      EXPECT_TRUE(!is_kept || hypothesis.at(row) == reference.at(column));
      if (edit != Edit::insert) ++row;
      if (edit != Edit::remove) ++column;
    }
    EXPECT_EQ(counted, edits);
    EXPECT_EQ(row, hypothesis.size());
    EXPECT_EQ(column, reference.size());
  }
}

TEST(EditDistance, OfOthersWithTheSameBeginning) {
  std::mt19937 random(5);
  for (int i = 0; i < 200; ++i) {
    const Symbols reference = random_text(random, 60);
    Symbols hypothesis = random_text(random, 60);
    EditDistance distance(reference, hypothesis.size());
    distance.set(hypothesis);
    const std::size_t same = random() % (hypothesis.size() + 1);
    std::shuffle(hypothesis.begin() + static_cast<std::ptrdiff_t>(same), hypothesis.end(), random);
    const int expected = plain_distance(hypothesis, reference);
    EXPECT_EQ(distance.distance(hypothesis, same, 1000), expected);
    EXPECT_EQ(distance.distance(hypothesis, same, expected), expected);
    if (expected > 0) {
      EXPECT_GT(distance.distance(hypothesis, same, expected - 1), expected - 1);
    }
  }
}

}  // namespace

}  // namespace nmt
