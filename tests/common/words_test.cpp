#include "common/text/words.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace nmt {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(Words, AreDividedByWhiteSpaceOfAscii) {
  EXPECT_THAT(words_in(" ein  Hund\trennt.\r\n"), ElementsAre("ein", "Hund", "rennt."));
  EXPECT_THAT(words_in("a\vb\fc"), ElementsAre("a", "b", "c"));
  EXPECT_THAT(words_in("a"), ElementsAre("a"));
  EXPECT_THAT(words_in(""), IsEmpty());
  EXPECT_THAT(words_in(" \t "), IsEmpty());
}

TEST(Words, HaveOtherWhiteSpaceAndInvisibleMarks) {
  EXPECT_THAT(words_in("a\u00a0b \u3000 c\u2028d\u0085e"),
              ElementsAre("a\u00a0b", "\u3000", "c\u2028d\u0085e"));
  for (const char* mark :
       {"\u00b4", "\u200b", "\u200c", "\u200d", "\u200e", "\ufeff", "\ufffd", "\x01", "\x1c"})
    EXPECT_THAT(words_in(std::string("a ").append(mark).append(" b")), ElementsAre("a", mark, "b"));
}

}  // namespace
}  // namespace nmt
