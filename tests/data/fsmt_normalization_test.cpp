// Tests the normalization of text for FSMT. Expected texts are those of FSMTTokenizer.moses_pipeline() of
// transformers 4.49 with sacremoses 0.2.0.
#include "data/vocabulary/listed/fsmt_normalization.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace nmt {
namespace {

/// Returns the normalized text without spaces at the end, which no tokenizer cares about.
std::string normalized(std::string_view text, const std::string& language, bool lowers = false) {
  std::string result = utf8_of(fsmt_normalized(text, language, lowers));
  result.erase(result.find_last_not_of(' ') + 1);
  return result;
}

TEST(FsmtNormalization, ChangesFullWidthMarks) {
  EXPECT_EQ(normalized("\uFF11\uFF12\uFF0C\uFF41\u3002  "
                       "b\uFF0E\u3000c\u3001\u201Cd\u201D\u300Ae\u300B\uFF08f\uFF09\u300Cg\u300D",
                       "en"),
            "12,\uFF41. b. c,\"d\"\"e\" (f) \"g\"");
  EXPECT_EQ(
      normalized("\u3008x\u3009\u3010y\u3011\uFF05\uFF5E\u2026\u2019\u2236\uFF1A\uFF1F\uFF01\uFF1B\u2501",
                 "de"),
      "<x>[y]%~...'::?!;-");
}

TEST(FsmtNormalization, FollowsSacremoses) {
  EXPECT_EQ(normalized("\u00AB a \u00BB \u00AB\u00A0b\u00A0\u00BB \u2019c\u2019 it\u2019s \u201Ed\u201C "
                       "\u201Ae\u2018 ``f''",
                       "en"),
            "\" a \" \"b\" 'c' it's \"d\" 'e' \" f \"");
  EXPECT_EQ(normalized("\"a\", \"b\". 5\u00A0% 10\u00A0000 ( c ) ; d :", "en"),
            "\"a,\" \"b.\" 5% 10.000 (c); d:");
  EXPECT_EQ(normalized("\"a,\" \"b.\" c .\"", "de"), "\"a\", \"b\". c .\"");
  EXPECT_EQ(normalized("\"a,\" 10\u00A0000 \u00A0! n\u00BA\u00A05", "fr"), "\"a\", 10,000 ! n\u00BA 5");
  EXPECT_EQ(normalized("\"a,\" \"b.\" 10\u00A0000", "ru"), "\"a,\" \"b.\" 10.000");
  EXPECT_EQ(normalized("\"a,\" 10\u00A0000 \u0663 %", "cs"), "\"a,\" 10,000 \u0663%");
}

TEST(FsmtNormalization, RemovesCharactersWithoutText) {
  EXPECT_EQ(normalized("a\tb\u200B c\u0007\uE000d", "en"), "ab cd");
}

TEST(FsmtNormalization, MayConvertToLowerCase) {
  EXPECT_EQ(normalized("STRASSE \u0130\u03A3 \uFF11", "de", true), "strasse i\u0307\u03C2 1");
  const TracedText text = fsmt_normalized("\u0130B", "en", true);
  std::vector<std::size_t> places;
  for (const TracedCharacter& each : text) places.push_back(each.place);
  EXPECT_THAT(places, ::testing::ElementsAre(0, 0, 2));
}

}  // namespace
}  // namespace nmt
