#include "data/text/text_parts.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

namespace nmt {
namespace {

using ::testing::ElementsAre;

/// Counts characters, like the tokens of a vocabulary of characters.
std::int64_t characters(std::string_view text) {
  return std::ranges::count_if(text, [](char c) { return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U; });
}

std::vector<std::string_view> parts(std::string_view text, std::int64_t most,
                                    std::size_t countable = 1 << 20) {
  return parts_of_text(text, most, countable, characters);
}

/// Expects that the parts contain all of a text in order, except white space, and that each fits.
void expect_whole(std::string_view text, std::int64_t most) {
  std::string joined, expected;
  for (const std::string_view part : parts(text, most)) {
    EXPECT_LE(characters(part), most) << part;
    joined += part;
  }
  expected = text;
  for (std::string* each : {&joined, &expected}) std::erase(*each, ' ');
  EXPECT_EQ(joined, expected);
}

TEST(TextParts, ATextThatFitsIsOne) {
  EXPECT_THAT(parts(" Aa bb. Cc dd. ", 14), ElementsAre("Aa bb. Cc dd."));
  EXPECT_THAT(parts("", 5), ElementsAre(""));
}

TEST(TextParts, EndWithASentenceAClauseACommaOrAWord) {
  EXPECT_THAT(parts("Aa bb cc, dd. Ee ff; gg hh ii.", 20), ElementsAre("Aa bb cc, dd.", "Ee ff; gg hh ii."));
  EXPECT_THAT(parts("aa bb cc, dd; ee ff, gg hh ii", 20), ElementsAre("aa bb cc, dd;", "ee ff, gg hh ii"));
  EXPECT_THAT(parts("aa bb cc dd, ee ff gg hh ii", 20), ElementsAre("aa bb cc dd,", "ee ff gg hh ii"));
  EXPECT_THAT(parts("aa bb cc dd ee ff gg hh", 16), ElementsAre("aa bb cc dd", "ee ff gg hh"));
  EXPECT_THAT(parts("aa, bb cc dd ee ff gg hh", 16), ElementsAre("aa, bb cc dd", "ee ff gg hh"))
      << "the comma is too far from the middle";
}

TEST(TextParts, AbbreviationsAndNumbersAreNotDivided) {
  EXPECT_THAT(parts("He saw Mr. Smith today here", 20), ElementsAre("He saw Mr. Smith", "today here"));
  EXPECT_THAT(parts("it cost 1,000,000 in all now", 20), ElementsAre("it cost 1,000,000", "in all now"));
}

TEST(TextParts, QuotationMarksBelongToWhatTheyClose) {
  EXPECT_THAT(parts("he says \"aa bb,\" and soon fell asleep", 25),
              ElementsAre("he says \"aa bb,\"", "and soon fell asleep"));
}

TEST(TextParts, OfTextWithoutSpacesFollowItsMarks) {
  EXPECT_THAT(parts("天下雨，狗在睡觉，猫看着它。", 10), ElementsAre("天下雨，狗在睡觉，", "猫看着它。"));
  EXPECT_THAT(parts("天下雨狗在睡觉", 5), ElementsAre("天下雨", "狗在睡觉"));
}

TEST(TextParts, AWordIsDividedBetweenCharactersAlone) {
  EXPECT_THAT(parts("aaaaaaaaaa", 7), ElementsAre("aaaaa", "aaaaa"));
  expect_whole(std::string(1000, 'x'), 7);
  std::string accents;
  for (int i = 0; i < 50; ++i) accents += "e\u0301";
  for (const std::string_view part : parts(accents, 9)) EXPECT_EQ(part.front(), 'e');
  expect_whole(accents, 9);
  EXPECT_THAT(parts("e\u0301\u0301\u0301", 2), ElementsAre("e\u0301\u0301\u0301")) << "a single character";
}

// The time of a part grows with the square of its length, and no model knows what such text says.
TEST(TextParts, OfTextWithoutWordsAreShort) {
  std::string base64;
  for (int i = 0; i < 20000; ++i) base64 += i % 64 == 63 ? '/' : static_cast<char>('a' + i * i % 26);
  for (const std::string& text : {std::string(20000, 'x'), base64}) {
    for (const std::string_view part : parts(text, 1000)) EXPECT_LE(part.size(), 128U);
    expect_whole(text, 1000);
  }
  std::string words, characters;
  for (int i = 0; i < 1000; ++i) words += "Donaudampfschifffahrtsgesellschaft ";
  for (int i = 0; i < 4000; ++i) characters += "\u5929";
  EXPECT_LE(parts(words, 1000).size(), 60U);
  EXPECT_LE(parts(characters, 1000).size(), 8U);
}

TEST(TextParts, AreAboutEquallyLong) {
  std::string text;
  for (int i = 0; i < 300; ++i) text += i % 7 == 0 ? "word, " : "word ";
  const auto found = parts(text, 200);
  EXPECT_LE(found.size(), 12U);
  for (const std::string_view part : found) EXPECT_GE(part.size(), 70U);
  expect_whole(text, 200);
}

TEST(TextParts, WhatIsTooLongToCountIsDividedAllTheSame) {
  std::string text;
  for (int i = 0; i < 5000; ++i) text += "word ";
  std::size_t longest = 0;
  const auto found = parts_of_text(text, 100, 1000, [&](std::string_view part) {
    longest = std::max(longest, part.size());
    return characters(part);
  });
  EXPECT_LE(longest, 1000U);
  for (const std::string_view part : found) EXPECT_LE(part.size(), 100U);
  std::size_t words = 0;
  for (const std::string_view part : found) words += (part.size() + 1) / 5;
  EXPECT_EQ(words, 5000U);
}

}  // namespace
}  // namespace nmt
