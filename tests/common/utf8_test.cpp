#include "common/text/utf8.h"

#include <gtest/gtest.h>

#include <vector>

namespace nmt {
namespace {

const std::string kMark = "\xEF\xBF\xBD";

std::string repaired(std::string text, std::int64_t expected_invalid) {
  const std::int64_t counted = count_invalid_utf8(text);
  EXPECT_EQ(repair_utf8(text), expected_invalid);
  EXPECT_EQ(counted, expected_invalid);
  EXPECT_EQ(count_invalid_utf8(text), 0);
  return text;
}

TEST(Utf8, LeavesWellFormedTextAlone) {
  for (const std::string text :
       {"", "plain text longer than a word", "gr\xC3\xBC\xC3\x9F", "\xE2\x82\xAC", "\x7F", "\xED\x9F\xBF",
        "\xEE\x80\x80", "\xF0\x9F\x98\x80", "\xF4\x8F\xBF\xBF"}) {
    EXPECT_EQ(repaired(text, 0), text);
  }
}

TEST(Utf8, ReplacesZeroBytes) {
  EXPECT_EQ(repaired(std::string("a\0b", 3), 1), "a" + kMark + "b");
  const std::string text = "sixteen letters!";
  for (std::size_t at = 0; at < text.size(); ++at) {
    std::string damaged = text, expected = text;
    damaged[at] = '\0';
    EXPECT_EQ(repaired(damaged, 1), expected.replace(at, 1, kMark));
  }
}

TEST(Utf8, CutsWithinNoCharacter) {
  EXPECT_EQ(beginning_of("abc", 3), "abc");
  EXPECT_EQ(beginning_of("abc", 2), "ab");
  EXPECT_EQ(beginning_of("a\u20ac\u20acb", 6), "a\u20ac");
  EXPECT_EQ(beginning_of("a\u20ac\u20acb", 7), "a\u20ac\u20ac");
  EXPECT_EQ(beginning_of("\U0001F600", 3), "");
}

TEST(Utf8, ReplacesBytesThatBeginNothing) {
  EXPECT_EQ(repaired("a\x80z", 1), "a" + kMark + "z");
  EXPECT_EQ(repaired("\xC0\xAF", 2), kMark + kMark);
  EXPECT_EQ(repaired("\xF5\xFF", 2), kMark + kMark);
}

// The example of The Unicode Standard, section 3.9, table 3-11.
TEST(Utf8, ReplacesMaximalSubparts) {
  EXPECT_EQ(repaired("\xE1\x80\xE2\xF0\x91\x92\xF1\xBF\x41", 8), kMark + kMark + kMark + kMark + "A");
}

TEST(Utf8, ReplacesSurrogatesAndOverlongFormsByteByByte) {
  EXPECT_EQ(repaired("\xED\xA0\x80", 3), kMark + kMark + kMark);
  EXPECT_EQ(repaired("\xE0\x80\xAF", 3), kMark + kMark + kMark);
  EXPECT_EQ(repaired("\xF4\x91\x92\x93", 4), kMark + kMark + kMark + kMark);
}

TEST(Utf8, ReplacesATruncatedEndOnce) {
  EXPECT_EQ(repaired("12345678\xF0\x9F\x98", 3), "12345678" + kMark);
}

TEST(Utf8, PlacesMoveWithTheirBytes) {
  std::string text(
      "a\x80"
      "b\xE2\x82"
      "c\0d\xC3\xA4"
      "e",
      11);
  std::vector<std::size_t> places = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, std::string::npos};
  EXPECT_EQ(repair_utf8(text, places), 4);
  EXPECT_EQ(text, "a" + kMark + "b" + kMark + "c" + kMark +
                      "d\xC3\xA4"
                      "e");
  const std::vector<std::size_t> expected = {0, 1, 4, 5, 5, 8, 9, 12, 13, 14, 15, 16, 12, std::string::npos};
  EXPECT_EQ(places, expected);
}

TEST(Utf8, CountsCharacters) {
  EXPECT_EQ(characters_in(""), 0U);
  EXPECT_EQ(characters_in("a\u00e4\u20ac\U0001F600"), 4U);
}

}  // namespace
}  // namespace nmt
