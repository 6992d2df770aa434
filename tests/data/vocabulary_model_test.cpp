#include "data/vocabulary/vocabulary_model.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/temporary_folder.h"
#include "data/small_vocabulary.h"
#include "data/vocabulary/vocabulary.h"
#include "data/word_list.h"

namespace nmt {
namespace {

using ::testing::ElementsAre;
using ::testing::ThrowsMessage;

class VocabularyKindsTest : public ::testing::Test {
 protected:
  const std::string bytes_ = testing::word_list_of("der hund der rennt");
  const Vocabulary words_ = Vocabulary::from_bytes(bytes_, "words");
};

TEST_F(VocabularyKindsTest, AFileIsOfTheKindThatItsHeaderNames) {
  EXPECT_EQ(words_.size(), 5);
  EXPECT_EQ(words_.end(), 0);
  EXPECT_EQ(words_.unknown(), 1);
  EXPECT_EQ(words_.begin(), std::nullopt);
  EXPECT_EQ(words_.bytes(), bytes_);
  EXPECT_EQ(Vocabulary::from_bytes(small_vocabulary().bytes(), "pieces").begin(), 1);
}

TEST_F(VocabularyKindsTest, AllKindsAreUsedAlike) {
  EXPECT_THAT(words_.encode("der  hund bellt"), ElementsAre(2, 3, 1));
  EXPECT_EQ(words_.decode({2, 4, 0}), "der rennt");
  EXPECT_THAT(words_.pieces("der bellt"), ElementsAre("▁der", "▁bellt"));
  EXPECT_THAT(words_.pieces(std::vector{3, 1}), ElementsAre("▁hund", "▁⁇▁"));
  EXPECT_EQ(words_.find("▁hund"), 3);
  EXPECT_THAT([&] { words_.decode({5}); },
              ThrowsMessage<Error>("cannot decode id 5: the vocabulary has 5 pieces"));
  EXPECT_FALSE(words_.samples());
  EXPECT_THROW(words_.encode_sampled("der hund", 0.1), Error);
}

TEST_F(VocabularyKindsTest, EqualBytesAreEqualVocabularies) {
  const Vocabulary same = Vocabulary::from_bytes(bytes_, "same"), copy = words_,
                   other = Vocabulary::from_bytes(testing::word_list_of("der"), "other");
  EXPECT_EQ(same, words_);
  EXPECT_EQ(copy, words_);
  EXPECT_EQ(same.fingerprint(), words_.fingerprint());
  EXPECT_FALSE(other == words_);
  EXPECT_NE(other.fingerprint(), words_.fingerprint());
}

TEST_F(VocabularyKindsTest, ATableHasMoreRowsWhereAVocabularySaysSo) {
  EXPECT_EQ(words_.rows(), 5);
  const Vocabulary padded = Vocabulary::from_bytes(testing::word_list_of("der hund", 3), "padded");
  EXPECT_EQ(padded.size(), 4);
  EXPECT_EQ(padded.rows(), 7);
  EXPECT_THROW(padded.decode({4}), Error);
}

TEST_F(VocabularyKindsTest, TellsOfDamageAndOfUnknownKinds) {
  EXPECT_THAT([this] { Vocabulary::from_bytes(bytes_ + "der", "v"); },
              ThrowsMessage<Error>("the vocabulary 'v' is damaged: it is not in the form that this version "
                                   "of nmt writes; copy it again"));
  for (const std::string& unknown : {vocabulary_header("syllables"), std::string("nmt.vocabulary ")}) {
    EXPECT_THAT([&] { Vocabulary::from_bytes(unknown, "v"); },
                ThrowsMessage<Error>(
                    "the vocabulary 'v' is of a kind that this version of nmt cannot read; use a later one"));
  }
}

}  // namespace
}  // namespace nmt
