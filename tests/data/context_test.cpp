#include "data/text/context.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "data/small_vocabulary.h"

namespace nmt {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(ContextTest, KeepsTheLastSentencesOfADocument) {
  Context context{.most = 2};
  context.add("a");
  EXPECT_THAT(context.sentences, ElementsAre("a"));
  context.add("b");
  context.add("c");
  EXPECT_THAT(context.sentences, ElementsAre("b", "c"));
  context.add(" \t");
  EXPECT_THAT(context.sentences, IsEmpty());
  context.add("d");
  EXPECT_THAT(context.sentences, ElementsAre("d"));
}

TEST(ContextTest, NoSentencesAreKeptIfNoneAreWanted) {
  Context context;
  context.add("a");
  EXPECT_THAT(context.sentences, IsEmpty());
}

TEST(ContextTest, SentencesAreSeparatedByAnIdThatTextDoesNotHave) {
  const Vocabulary words = small_vocabulary();
  const int separator = separator_of(words);
  EXPECT_TRUE(words.is_special(separator));
  EXPECT_NE(separator, words.end());
  EXPECT_EQ(words.decode({separator}), "");
}

}  // namespace
}  // namespace nmt
