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

TEST(ContextTest, EachTextGetsTheTextsBeforeIt) {
  EarlierTexts earlier;
  const auto context_of = [&earlier](std::size_t most, const std::string& text) {
    Context context{.most = most, .sentences = {"of another text"}};
    earlier.give(context, text);
    return context.sentences;
  };
  EXPECT_THAT(context_of(2, "a"), IsEmpty());
  EXPECT_THAT(context_of(0, "b"), IsEmpty());
  EXPECT_THAT(context_of(2, "c"), ElementsAre("a", "b"));
  EXPECT_THAT(context_of(1, " "), ElementsAre("c"));
  EXPECT_THAT(context_of(2, "d"), IsEmpty());
  for (int i = 0; i < 2 * kMostContext; ++i) earlier.add("e");
  EXPECT_EQ(context_of(1000, "f").size(), static_cast<std::size_t>(kMostContext));
  earlier.clear();
  EXPECT_THAT(context_of(2, "g"), IsEmpty());
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
