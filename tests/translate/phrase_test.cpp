// Phrases as sequences of tokens that spell them.
#include "translate/search/phrase.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/error.h"
#include "translate/text_model.h"

namespace nmt {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using Ids = std::vector<std::int32_t>;

TEST(Phrase, OfTokensIsTheseAlone) {
  const Phrase phrase(Ids{5, 5, 7});
  EXPECT_EQ(phrase.end(), 3);
  EXPECT_THAT(phrase.of({}), ElementsAre(0));
  EXPECT_THAT(phrase.of({1, 5}), ElementsAre(0, 1));
  EXPECT_THAT(phrase.of({5, 5, 5}), ElementsAre(0, 1, 2)) << "it may begin with each of them";
  EXPECT_THAT(phrase.of({5, 5, 7}), ElementsAre(0, 3));
  EXPECT_THAT(phrase.of({5, 5, 7, 5}), ElementsAre(0, 1));
  EXPECT_THAT(phrase.last_tokens(phrase.of({5, 5})), ElementsAre(7));
  EXPECT_THAT(phrase.last_tokens(phrase.of({5})), IsEmpty());
  EXPECT_EQ(phrase.ways_to_end(), 1U);
}

/// Whether tokens spell the whole phrase at their end.
bool is_spelled(const Phrase& phrase, const Ids& ids) {
  return phrase.of(ids).back() == phrase.end();
}

TEST(Phrase, OfTextIsHoweverItIsDivided) {
  const Vocabulary vocabulary = testing::text_vocabulary();
  const std::string text = testing::source_lines(1)[0];
  const std::string words = text.substr(0, text.find(' ', text.find(' ') + 1));
  const Phrase phrase(words, vocabulary);
  EXPECT_TRUE(is_spelled(phrase, vocabulary.encode(words)));
  Ids behind_others = vocabulary.encode(text + " " + words);
  EXPECT_TRUE(is_spelled(phrase, behind_others));
  behind_others.pop_back();
  EXPECT_FALSE(is_spelled(phrase, behind_others));
  // One token per character, with and without the beginning of a word.
  Ids letters;
  for (const char c : " " + words)
    letters.push_back(vocabulary.find(c == ' ' ? "\u2581" : std::string(1, c)).value());
  EXPECT_TRUE(is_spelled(phrase, letters));
  EXPECT_THAT(phrase.last_tokens(phrase.of(Ids(letters.begin(), letters.end() - 1))),
              Contains(letters.back()));
  // At the beginning of a translation, a piece from the middle of a word reads as a word.
  const Ids middle(letters.begin() + 1, letters.end());
  EXPECT_TRUE(is_spelled(phrase, middle));
  EXPECT_THAT(phrase.last_tokens(phrase.of(Ids(middle.begin(), middle.end() - 1))), Contains(middle.back()));
  Ids later = vocabulary.encode(text);
  later.insert(later.end(), middle.begin(), middle.end());
  EXPECT_FALSE(is_spelled(phrase, later));
  EXPECT_GT(phrase.ways_to_end(), 1U);
  EXPECT_THROW(Phrase(" ", vocabulary), Error);
}

}  // namespace
}  // namespace nmt
