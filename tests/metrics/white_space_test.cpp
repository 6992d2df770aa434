#include "metrics/white_space.h"

#include <gtest/gtest.h>

namespace nmt::metrics {
namespace {

TEST(WhiteSpace, IsFoundWithItsLength) {
  EXPECT_EQ(white_space_at("a b", 0), 0U);
  EXPECT_EQ(white_space_at("a b", 1), 1U);
  EXPECT_EQ(white_space_at("\x1F", 0), 1U);
  EXPECT_EQ(white_space_at("\u0085", 0), 2U);
  EXPECT_EQ(white_space_at("\u3000", 0), 3U);
  EXPECT_EQ(white_space_at("\u2029", 0), 3U);
}

TEST(WhiteSpace, HasNeighboursThatAreNone) {
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

TEST(WhiteSpace, BetweenWordsBecomesOneBlank) {
  EXPECT_EQ(join_words("\u2003 a\t\tb\u00A0c\v "), "a b c");
  EXPECT_EQ(join_words("语\u3000言"), "语 言");
  EXPECT_EQ(join_words(" \n "), "");
  EXPECT_EQ(join_words(""), "");
}

}  // namespace
}  // namespace nmt::metrics
