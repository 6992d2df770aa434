#include "data/vocabulary/listed/opus_normalization.h"

#include <gtest/gtest.h>

namespace nmt {
namespace {

TEST(OpusNormalization, MakesMarksThoseOfAscii) {
  EXPECT_EQ(opus_normalized("，。、”“∶：？《》）！（；"), ",. ,\"\"::?\"\")!(;");
  EXPECT_EQ(opus_normalized("１」「０３２５６９７８４"), "\"\"\"032569784") << "the one as well";
  EXPECT_EQ(opus_normalized("．～’…━〈〉【】％"), ". ~'...-<>[]%");
  EXPECT_EQ(opus_normalized("Ä\u00A0ß „a‘ \u3000漢"), "Ä\u00A0ß „a‘ \u3000漢") << "the others stay";
}

TEST(OpusNormalization, MakesWhatIsNoTextABlank) {
  EXPECT_EQ(opus_normalized("a\tb\u0007c\u200Bd\u2060e\uFEFFf\u00ADg\uE000h\u0378i"), "a b c d e f g h i");
}

TEST(OpusNormalization, LeavesSingleBlanksBetweenWords) {
  EXPECT_EQ(opus_normalized("  a   b。  c\t\td \n"), "a b. c d");
  EXPECT_EQ(opus_normalized(" \u200B "), "");
  EXPECT_EQ(opus_normalized(""), "");
}

}  // namespace
}  // namespace nmt
