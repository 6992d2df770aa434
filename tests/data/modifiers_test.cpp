// What each modifier does to a pair.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <regex>
#include <set>

#include "data/augmentation/end_punctuation.h"
#include "data/augmentation/inline_marks.h"
#include "data/augmentation/letter_case.h"
#include "data/augmentation/noise_words.h"
#include "data/augmentation/token_noise.h"
#include "data/augmentation/typing_errors.h"
#include "data/small_vocabulary.h"

namespace nmt {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Pair;
using ::testing::SizeIs;

AlignedWords pair_of(const std::string& source, const std::string& target,
                     const std::string& alignment = "") {
  static const Encoding encoding{.source = small_vocabulary(), .target = small_vocabulary(), .filter = {}};
  return aligned_words({source, target, alignment, ""}, encoding, {}, 1);
}

TEST(LetterCaseTest, CapitalsAndTitlesAreOfBothSides) {
  AlignedWords pair = pair_of("the (old) street, ǆ", "die ßtraße ist");
  write_as_title(pair);
  EXPECT_EQ(pair.lines().source, "The (Old) Street, ǅ");
  EXPECT_EQ(pair.lines().target, "Die ßtraße Ist") << "no capital of ß is one letter";
  write_in_capitals(pair);
  EXPECT_EQ(pair.lines().source, "THE (OLD) STREET, Ǆ");
  EXPECT_EQ(pair.lines().target, "DIE SSTRASSE IST");
}

TEST(LetterCaseTest, TagsStay) {
  AlignedWords pair = pair_of(">>de<< The <b>old</b> <s>", "Die");
  write_in_small_letters(pair);
  EXPECT_EQ(pair.lines().source, ">>de<< the <b>old</b> <s>");
}

TEST(LetterCaseTest, SmallLettersAreOfTheSource) {
  AlignedWords pair = pair_of("The OLD Bridge ΣΑΣ", "Die alte Brücke");
  write_in_small_letters(pair);
  EXPECT_EQ(pair.lines().source, "the old bridge σας");
  EXPECT_EQ(pair.lines().target, "Die alte Brücke");
}

TEST(EndPunctuationTest, AlikeMarksAreStripped) {
  AlignedWords pair = pair_of("The end.", "終わり 。", "0-0 1-1");
  EXPECT_TRUE(strip_end(pair));
  EXPECT_EQ(pair.lines().source, "The end");
  EXPECT_EQ(pair.lines().target, "終わり");
  EXPECT_THAT(pair.links, ElementsAre(Pair(0, 0))) << "the mark was a word";
  for (const auto& [source, target] :
       std::vector<std::pair<std::string, std::string>>{{"Really?!", "Wirklich?!"},
                                                        {"Wait...", "Warte..."},
                                                        {"Yes.", "Ja!"},
                                                        {"Yes", "Ja."},
                                                        {".", "."}}) {
    AlignedWords other = pair_of(source, target);
    EXPECT_FALSE(strip_end(other)) << source;
    EXPECT_EQ(other.lines().source, source);
    EXPECT_EQ(other.lines().target, target);
  }
}

TEST(EndPunctuationTest, FullStopsAreAddedInTheScript) {
  AlignedWords pair = pair_of("The end", "終わり");
  EXPECT_TRUE(add_end(pair));
  EXPECT_EQ(pair.lines().source, "The end.");
  EXPECT_EQ(pair.lines().target, "終わり。");
  EXPECT_FALSE(add_end(pair)) << "both have one now";
}

/// Returns the number of edits between texts; a swap of neighbors counts as one.
std::size_t distance(const std::string& a, const std::string& b) {
  std::vector<std::vector<std::size_t>> d(a.size() + 1, std::vector<std::size_t>(b.size() + 1));
  for (std::size_t i = 0; i <= a.size(); ++i) {
    for (std::size_t j = 0; j <= b.size(); ++j) {
      if (i == 0 || j == 0) {
        d[i][j] = i + j;
        continue;
      }
      d[i][j] = std::min({d[i - 1][j] + 1, d[i][j - 1] + 1, d[i - 1][j - 1] + (a[i - 1] != b[j - 1])});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
        d[i][j] = std::min(d[i][j], d[i - 2][j - 2] + 1);
    }
  }
  return d[a.size()][b.size()];
}

TEST(TypingErrorsTest, AWordGetsOneError) {
  std::set<std::string> results;
  for (std::int64_t number = 0; number < 2000; ++number) {
    AlignedWords pair = pair_of("letter", "Brief", "0-0");
    Draws draws(1, number, 0);
    mistype(pair, draws);
    const std::string result = pair.lines().source;
    EXPECT_EQ(distance("letter", result), 1U) << result;
    EXPECT_EQ(pair.lines().target, "Brief");
    EXPECT_EQ(std::ssize(pair.links), std::ssize(pair.source)) << result;
    results.insert(result);
  }
  for (const char* expected : {"lettre", "leter", "lettr", "leetter", "l etter", "lettwr", "letterr"}) {
    EXPECT_TRUE(results.contains(expected)) << expected;
  }
  EXPECT_FALSE(results.contains("lettpr")) << "p is not next to e";
}

TEST(TypingErrorsTest, SomeOfManyWordsHaveErrors) {
  std::string text;
  for (int i = 0; i < 100; ++i) text += "bridge ";
  AlignedWords pair = pair_of(text, text);
  const AlignedWords before = pair;
  Draws draws(1, 1, 0);
  mistype(pair, draws);
  const std::int64_t right = std::ranges::count(pair.source, "bridge");
  EXPECT_GT(right, 75);
  EXPECT_LT(right, 99);
  EXPECT_EQ(pair.target, before.target);
  AlignedWords numbers = pair_of("12 34 %", "12 34 %");
  mistype(numbers, draws);
  EXPECT_EQ(numbers.lines().source, "12 34 %");
}

TEST(NoiseWordsTest, BothSidesAreEqual) {
  std::set<std::string> texts;
  for (std::int64_t number = 0; number < 200; ++number) {
    Draws draws(1, number, 0);
    const AlignedWords pair = noise_pair({1}, draws);
    EXPECT_EQ(pair.source, pair.target);
    EXPECT_EQ(pair.links.size(), pair.source.size());
    EXPECT_EQ(pair_of(pair.lines().source, "").source, pair.source) << "no word contains a space";
    EXPECT_GE(pair.source.size(), 1U);
    EXPECT_LE(pair.source.size(), 6U);
    texts.insert(pair.lines().source);
  }
  EXPECT_GT(texts.size(), 190U);
}

class InlineMarksTest : public ::testing::Test {
 protected:
  AlignedWords marked(InlineMark what, double probability = 1) {
    AlignedWords pair =
        pair_of("In Paris the (old) houses, 12", "In Paris die alten Häuser; 12", "0-0 1-1 2-2 3-3 4-4 5-5");
    Draws draws(1, 2, 3);
    mark(pair, what, probability, draws);
    return pair;
  }
};

TEST_F(InlineMarksTest, TagsAreEqualOnBothSides) {
  const AlignedWords pair = marked(InlineMark::tag);
  EXPECT_EQ(pair.source[0] + " " + pair.source[1] + " " + pair.source[5], "In Paris 12")
      << "equal words stay";
  EXPECT_THAT(pair.source[3], ::testing::MatchesRegex(R"(\(<[a-z0-9]+>old</[a-z0-9]+>\))"));
  EXPECT_THAT(pair.source[4], ::testing::MatchesRegex(R"(<[a-z0-9]+>houses</[a-z0-9]+>,)"));
  const std::string tag = pair.source[4].substr(0, pair.source[4].find('>'));
  EXPECT_EQ(pair.target[4], tag + ">Häuser</" + tag.substr(1) + ">;");
}

TEST_F(InlineMarksTest, PlaceholdersReplaceBothWords) {
  const AlignedWords pair = marked(InlineMark::placeholder);
  const std::string placeholder = pair.source[4].substr(0, pair.source[4].size() - 1);
  EXPECT_EQ(pair.source[4], placeholder + ",");
  EXPECT_EQ(pair.target[4], placeholder + ";");
  EXPECT_NE(placeholder, "houses");
}

TEST_F(InlineMarksTest, CopiesFollowTheirWords) {
  const AlignedWords pair = marked(InlineMark::copy);
  for (const auto& [source, target] : pair.links) {
    const std::string& word = pair.source[static_cast<std::size_t>(source)];
    const std::string& other = pair.target[static_cast<std::size_t>(target)];
    if (word == "the")
      EXPECT_EQ(other, "die");
    else if (word == "(old)")
      EXPECT_EQ(other, "alten");
    else if (word == "houses,")
      EXPECT_EQ(other, "Häuser;");
    else
      EXPECT_EQ(word, other);
  }
  EXPECT_GE(pair.source.size(), 9U);
  EXPECT_EQ(pair.source.size(), pair.target.size());
  EXPECT_EQ(pair.links.size(), pair.source.size());
}

TEST_F(InlineMarksTest, TermsHaveTheirTranslations) {
  static const std::regex kAnnotation("(\\( )?__source__ ([^_]+) __target__ ([^_]+) __done__");
  int exact = 0;
  std::set<std::string> terms, inflected;
  for (std::int64_t number = 0; number < 400; ++number) {
    const AlignedWords before = pair_of("the (old) big house, 12 <b>x</b>", "das (alte) große Häuschen; 12 y",
                                        "0-0 1-1 2-2 3-3 4-4 5-5");
    AlignedWords pair = before;
    Draws draws(1, number, 0);
    mark(pair, InlineMark::term, 0.2, draws);
    EXPECT_EQ(pair.target, before.target);
    EXPECT_EQ(pair.links.size(), before.links.size());
    for (const auto& [source, target] : pair.links) {
      const std::string& word = before.source[static_cast<std::size_t>(target)];
      EXPECT_THAT(word, ::testing::HasSubstr(pair.source[static_cast<std::size_t>(source)]));
    }
    const std::string source = pair.lines().source;
    std::string left = std::regex_replace(source, kAnnotation, "$1$2");
    if (const std::size_t place = left.find("( "); place != left.npos) left.erase(place + 1, 1);
    EXPECT_EQ(left, before.lines().source);
    for (std::sregex_iterator next(source.begin(), source.end(), kAnnotation), end; next != end; ++next) {
      terms.insert((*next)[2]);
      if ((*next)[2] != "house") continue;
      if ((*next)[3] == "Häuschen")
        ++exact;
      else
        inflected.insert((*next)[3]);
    }
  }
  EXPECT_THAT(terms, ::testing::UnorderedElementsAre("the", "old", "big", "house", "big house"));
  EXPECT_GT(exact, 20);
  EXPECT_THAT(inflected, ::testing::IsSupersetOf({"Häusche", "Häusch", "Häusc"}));
  EXPECT_THAT(inflected, ::testing::Each(::testing::StartsWith("Häusc")));
  EXPECT_GT(inflected.size(), 4U) << "endings of other words";
}

TEST_F(InlineMarksTest, SomeTermsAreAnyOtherWord) {
  int replaced = 0;
  for (std::int64_t number = 0; number < 400; ++number) {
    AlignedWords pair = pair_of("(house)", "Haus.", "0-0");
    Draws draws(1, number, 0);
    mark(pair, InlineMark::term, 1, draws, {"Wort,", "..."});
    const std::string source = pair.lines().source;
    if (pair.lines().target == "Haus.") {
      EXPECT_THAT(source, ::testing::HasSubstr("house __target__ Hau"));
      continue;
    }
    ++replaced;
    EXPECT_EQ(pair.lines().target, "Wort.");
    EXPECT_EQ(source, "( __source__ house __target__ Wort __done__)");
  }
  EXPECT_NEAR(replaced, 400 * 0.3 / 2, 30);
}

TEST_F(InlineMarksTest, AmbiguousWordsStay) {
  AlignedWords pair = pair_of("a b", "x y", "0-0 0-1 1-1");
  const AlignedWords before = pair;
  Draws draws(1, 2, 3);
  mark(pair, InlineMark::tag, 1, draws);
  EXPECT_EQ(pair.source, before.source);
  EXPECT_EQ(marked(InlineMark::tag, 1e-9).lines().source, "In Paris the (old) houses, 12");
}

class TokenNoiseTest : public ::testing::Test {
 protected:
  static constexpr int kTokens = 4000;

  Example changed(const TokenNoise& noise) {
    Example example;
    for (int i = 0; i < kTokens; ++i) {
      example.source.push_back(token_);
      example.links.push_back({i, i});
    }
    Draws draws(1, 2, 3);
    change_tokens(example, noise, vocabulary_, draws);
    return example;
  }
  std::int64_t count(const Example& example, int token) { return std::ranges::count(example.source, token); }

  Vocabulary vocabulary_ = small_vocabulary();
  int token_ = vocabulary_.encode("dog").front();
};

TEST_F(TokenNoiseTest, EachTokenHasItsChance) {
  const Example dropped = changed({.drop = 0.25}), masked = changed({.mask = 0.25}),
                switched = changed({.switched = 0.25});
  EXPECT_NEAR(static_cast<double>(dropped.source.size()), kTokens * 0.75, 120);
  EXPECT_EQ(dropped.links.size(), dropped.source.size());
  EXPECT_EQ(dropped.links.back().source, std::ssize(dropped.source) - 1);
  EXPECT_THAT(masked.source, SizeIs(kTokens));
  EXPECT_NEAR(static_cast<double>(count(masked, vocabulary_.unknown())), kTokens * 0.25, 120);
  EXPECT_THAT(switched.source, SizeIs(kTokens));
  EXPECT_NEAR(static_cast<double>(count(switched, token_)), kTokens * 0.75, 160);
  EXPECT_EQ(count(switched, vocabulary_.unknown()) + count(switched, vocabulary_.end()), 0);
}

TEST_F(TokenNoiseTest, OneTokenIsLeft) {
  EXPECT_THAT(changed({.drop = 1}).source, ElementsAre(token_));
}

}  // namespace
}  // namespace nmt
