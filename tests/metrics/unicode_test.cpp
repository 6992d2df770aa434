#include "metrics/unicode.h"

#include <gtest/gtest.h>

namespace nmt {
namespace {

TEST(Unicode, TurnsBytesIntoCodePointsAndBack) {
  const std::string text = "a\u00e9\u6587\U0001F600";
  EXPECT_EQ(code_points(text), U"a\u00e9\u6587\U0001F600");
  EXPECT_EQ(utf8(code_points(text)), text);
  EXPECT_EQ(code_points("\xE2\x80"), U"\uFFFD");
  EXPECT_EQ(code_points(""), U"");
}

TEST(Unicode, LowersByTheFullMapping) {
  EXPECT_EQ(to_lower("AZ az @[`{"), "az az @[`{");
  EXPECT_EQ(to_lower("ÄẞÉ"), "äßé");
  EXPECT_EQ(to_lower("ΟΔΟΣ ΣΑ"), "οδος σα") << "a final sigma";
  EXPECT_EQ(to_lower("İ"), "i\u0307") << "as in no language in particular";
  EXPECT_EQ(to_lower("\U00010400"), "\U00010428");
}

TEST(Unicode, KnowsKindsOfCharacters) {
  EXPECT_TRUE(is_punctuation(U'\u3002') && is_punctuation('-') && !is_punctuation('+'));
  EXPECT_TRUE(is_symbol(U'\u20AC') && is_symbol('+') && !is_symbol('a'));
  EXPECT_TRUE(is_number(U'\u00BD') && is_number(U'\u0663') && !is_number('a'));
}

}  // namespace
}  // namespace nmt
