#include "metrics/words.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace nmt {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(WhiteSpace, IsFoundWithItsLength) {
  EXPECT_EQ(white_space_at("a b", 0), 0U);
  EXPECT_EQ(white_space_at("a b", 1), 1U);
  EXPECT_EQ(white_space_at("\x1F", 0), 1U);
  EXPECT_EQ(white_space_at("\u0085", 0), 2U);
  EXPECT_EQ(white_space_at("\u3000", 0), 3U);
  EXPECT_EQ(white_space_at("\u2029", 0), 3U);
}

TEST(WhiteSpace, HasNeighborsThatAreNone) {
  for (const char* text : {"\x1B", "\x08", "\x0E", "\u0084", "\u00A1", "\u180E", "\u200B", "\u202A", "\u2060",
                           "\u3001", "\uFEFF", "\xE2\x80", "\xE2", "\xC2"}) {
    EXPECT_EQ(white_space_at(text, 0), 0U) << text;
  }
}

TEST(WhiteSpace, IsStrippedFromTheEndOnly) {
  EXPECT_EQ(strip_end(" a b \u3000\r\n"), " a b");
  EXPECT_EQ(strip_end("a"), "a");
  EXPECT_EQ(strip_end(" \t\u00A0"), "");
  EXPECT_EQ(strip_end(""), "");
}

TEST(WhiteSpace, IsStrippedFromBothEnds) {
  EXPECT_EQ(strip("\u2003 a b\t"), "a b");
  EXPECT_EQ(strip(" \u3000"), "");
  EXPECT_EQ(strip(""), "");
}

TEST(WhiteSpace, LiesBetweenWords) {
  EXPECT_THAT(words_of("\u2003 a\t\tb\u00A0c\v "), ElementsAre("a", "b", "c"));
  EXPECT_THAT(words_of("语\u3000言"), ElementsAre("语", "言"));
  EXPECT_THAT(words_of(" \n "), IsEmpty());
  EXPECT_THAT(words_of(""), IsEmpty());
}

}  // namespace
}  // namespace nmt
