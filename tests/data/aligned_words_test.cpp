#include "data/augmentation/aligned_words.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/error.h"
#include "data/small_vocabulary.h"

namespace nmt {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Pair;
using ::testing::ThrowsMessage;
using ::testing::UnorderedElementsAre;

class AlignedWordsTest : public ::testing::Test {
 protected:
  /// "the old man" and "der alte mann", aligned one to one.
  AlignedWords pair_{.source = {"the", "old", "man"},
                     .target = {"der", "alte", "mann"},
                     .links = {{0, 0}, {1, 1}, {2, 2}},
                     .weights = {1, 2, 3, 4}};
};

TEST_F(AlignedWordsTest, InsertedWordsShiftWhatFollows) {
  pair_.insert(PairSide::source, 1, {"x", "y"});
  EXPECT_THAT(pair_.source, ElementsAre("the", "x", "y", "old", "man"));
  EXPECT_THAT(pair_.links, ElementsAre(Pair(0, 0), Pair(3, 1), Pair(4, 2)));
  EXPECT_THAT(pair_.weights, ElementsAre(1, 2, 3, 4)) << "they belong to the target";
  pair_.insert(PairSide::target, 3, {"z"});
  EXPECT_THAT(pair_.target, ElementsAre("der", "alte", "mann", "z"));
  EXPECT_THAT(pair_.links, ElementsAre(Pair(0, 0), Pair(3, 1), Pair(4, 2)));
  EXPECT_THAT(pair_.weights, ElementsAre(1, 2, 3, 1, 4));
}

TEST_F(AlignedWordsTest, ErasedWordsTakeTheirLinksAndWeights) {
  pair_.erase(PairSide::target, 1);
  EXPECT_THAT(pair_.target, ElementsAre("der", "mann"));
  EXPECT_THAT(pair_.links, ElementsAre(Pair(0, 0), Pair(2, 1)));
  EXPECT_THAT(pair_.weights, ElementsAre(1, 3, 4));
  pair_.erase(PairSide::source, 0);
  EXPECT_THAT(pair_.links, ElementsAre(Pair(1, 1)));
}

TEST_F(AlignedWordsTest, SpacesInSourcesDivideAndJoinLinks) {
  pair_.split_source(1, 2);
  EXPECT_THAT(pair_.source, ElementsAre("the", "ol", "d", "man"));
  EXPECT_THAT(pair_.links, UnorderedElementsAre(Pair(0, 0), Pair(1, 1), Pair(2, 1), Pair(3, 2)));
  pair_.join_source(2);
  EXPECT_THAT(pair_.source, ElementsAre("the", "ol", "dman"));
  EXPECT_THAT(pair_.links, UnorderedElementsAre(Pair(0, 0), Pair(1, 1), Pair(2, 1), Pair(2, 2)));
  EXPECT_THAT(pair_.one_to_one(), ElementsAre(Pair(0, 0))) << "1, 2 and their words have other links";
}

TEST_F(AlignedWordsTest, AppendedPairsKeepTheirLinksAndWeights) {
  const AlignedWords other{.source = {"dog"}, .target = {"hund", "doch"}, .links = {{0, 1}}, .weights = {5}};
  pair_.append(other);
  EXPECT_THAT(pair_.source, ElementsAre("the", "old", "man", "dog"));
  EXPECT_THAT(pair_.links, ElementsAre(Pair(0, 0), Pair(1, 1), Pair(2, 2), Pair(3, 4)));
  EXPECT_THAT(pair_.weights, ElementsAre(1, 2, 3, 5, 5)) << "without that of EOS, which is gone";

  AlignedWords same = other;
  same.append(other);
  EXPECT_THAT(same.weights, ElementsAre(5)) << "one weight for both is enough";
}

TEST_F(AlignedWordsTest, ASourceHasItsTagsOnce) {
  AlignedWords tagged{
      .source = {">>de<<", "dog"}, .target = {"hund"}, .links = {{0, 0}, {1, 0}}, .weights = {}};
  EXPECT_THAT(tagged.first_tags(), ElementsAre(">>de<<"));
  const AlignedWords copy = tagged;
  tagged.append(copy);
  EXPECT_THAT(tagged.source, ElementsAre(">>de<<", "dog", "dog"));
  EXPECT_THAT(tagged.links, ElementsAre(Pair(0, 0), Pair(1, 0), Pair(2, 1)));
}

TEST_F(AlignedWordsTest, LinesCanBeReadAgain) {
  const LinePair lines = pair_.lines();
  EXPECT_EQ(lines.source, "the old man");
  EXPECT_EQ(lines.target, "der alte mann");
  EXPECT_EQ(lines.alignment, "0-0 1-1 2-2");
  EXPECT_EQ(lines.weights, "1 2 3 4");
  const Encoding encoding{
      .source = small_vocabulary(), .target = small_vocabulary(), .filter = {}, .has_weights = true};
  const AnnotatedLines views{lines.source, lines.target, lines.alignment, lines.weights};
  const AlignedWords read = aligned_words(views, encoding, {"a", "w"}, 7);
  EXPECT_EQ(read.source, pair_.source);
  EXPECT_EQ(read.target, pair_.target);
  EXPECT_EQ(read.links, pair_.links);
  EXPECT_EQ(read.weights, pair_.weights);
  EXPECT_THAT(
      [&] {
        aligned_words({"the", "der", "0-1", "1"}, encoding, {"a", "w"}, 7);
      },
      ThrowsMessage<Error>(HasSubstr("'a', line 7: word 1 of the target, which has 1 word")));
  EXPECT_THAT(
      [&] {
        aligned_words({"the", "der", "", "1 2 3"}, encoding, {"a", "w"}, 7);
      },
      ThrowsMessage<Error>(HasSubstr("'w', line 7: 3 weights, but the target has 1 word")));
}

}  // namespace
}  // namespace nmt
