#include "data/text/text_measures.h"

#include <gtest/gtest.h>

namespace nmt {
namespace {

TEST(TextMeasures, LettersAreCountedWithTheirAccents) {
  EXPECT_EQ(letter_share("abc"), 1);
  EXPECT_EQ(letter_share("ab 1\t."), 0.5);
  EXPECT_EQ(letter_share("e\u0301 हिन्दी"), 1) << "accents and vowel signs";
  EXPECT_EQ(letter_share("12 !?"), 0);
  EXPECT_EQ(letter_share(" \u00A0"), 1);
}

TEST(TextMeasures, WordsAreSharedWithoutTheirCase) {
  EXPECT_EQ(copied_share("A dog, a cat.", "a DOG; a Cat"), 1);
  EXPECT_EQ(copied_share("A dog, a cat.", "a dog"), 0.5);
  EXPECT_EQ(copied_share("a dog", "A dog and a cat"), 0.4);
  EXPECT_EQ(copied_share("a a a", "a b c"), 1.0 / 3) << "a word has one counterpart";
  EXPECT_EQ(copied_share("1 2 3", "1 2 3"), 0) << "numbers are not words";
  EXPECT_EQ(copied_share("ÄRGER", "ärger"), 1);
}

TEST(TextMeasures, NumbersMatchHoweverTheyAreSeparated) {
  EXPECT_EQ(unmatched_numbers("1,000 and 2.5", "2,5 und 1.000"), 0);
  EXPECT_EQ(unmatched_numbers("1,000,000", "1 000\u00A0000"), 0);
  EXPECT_EQ(unmatched_numbers("1'000", "1’000"), 0);
  EXPECT_EQ(unmatched_numbers("1000", "1\u202F000"), 0);
  EXPECT_EQ(unmatched_numbers("08:30 on 12/31", "8.30 am 31.12."), 0);
  EXPECT_EQ(unmatched_numbers("room 12 345 seats", "345 Plätze in Raum 12"), 0);
  EXPECT_EQ(unmatched_numbers("٣ and ४५", "3, 45"), 0);
  EXPECT_EQ(unmatched_numbers("007", "7"), 0);
  EXPECT_EQ(unmatched_numbers("0", "00"), 0);
  EXPECT_EQ(unmatched_numbers("no number", "keine Zahl"), 0);
}

TEST(TextMeasures, NumbersDifferByWhatTheyCount) {
  EXPECT_EQ(unmatched_numbers("7", "8"), 2);
  EXPECT_EQ(unmatched_numbers("7 and 7", "7"), 1);
  EXPECT_EQ(unmatched_numbers("1,000", "1,0000"), 3) << "1000; 1 and 0, of four digits";
  EXPECT_EQ(unmatched_numbers("2020,100", "2020100"), 3) << "only three digits precede a separator";
  EXPECT_EQ(unmatched_numbers("", "1"), 1);
}

TEST(TextMeasures, NearDuplicatesHaveEqualLetters) {
  const std::uint64_t hash = letters_hash("On page 7: see there!", "Siehe Seite 7.");
  EXPECT_EQ(letters_hash("on PAGE 12 see there", "siehe  Seite (8)"), hash);
  EXPECT_NE(letters_hash("on page 12 see her", "siehe  Seite (8)"), hash);
  EXPECT_NE(letters_hash("Siehe Seite 7.", "On page 7: see there!"), hash);
  EXPECT_NE(letters_hash("onpage", "see"), letters_hash("on", "pagesee"));
  EXPECT_NE(letters_hash("1 2", "3"), letters_hash("1 3", "3")) << "without letters, all characters count";
  EXPECT_EQ(letters_hash("1 2", "3"), letters_hash("12", "3"));
}

}  // namespace
}  // namespace nmt
