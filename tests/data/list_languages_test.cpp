// Tests finding the language tokens in lists of words.
#include <gmock/gmock.h>

#include "common/complaint.h"
#include "data/small_vocabulary.h"
#include "data/vocabulary/listed/listed_vocabulary.h"

namespace nmt {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Pair;

LanguageUse coded(const WordList& words) {
  return coded_languages(words, small_vocabulary().bytes(), "v");
}

TEST(ListLanguagesTest, CodesAreKnownByTheirForm) {
  const LanguageUse languages = coded({"a", "deu_Latn", "de_DE", "__de__", "__ast__", "b"});
  EXPECT_THAT(languages.tokens,
              ElementsAre(Pair("ast", 4), Pair("de", 3), Pair("de_DE", 2), Pair("deu_Latn", 1)));
  EXPECT_EQ(languages.source, LanguageUse::Source::own_before);
  EXPECT_EQ(languages.target, LanguageUse::Target::first);
}

TEST(ListLanguagesTest, OtherTokensAreNone) {
  EXPECT_EQ(coded({"", "DE_de", "deu_latn", "deu_Latn_", "de_D", "__d__", "__deut__", "_de_", ">>deu<<"}),
            LanguageUse());
}

TEST(ListLanguagesTest, PiecesThatLookLikeCodesAreNone) {
  const TemporaryFolder folder;
  const Vocabulary pieces = train_vocabulary({.inputs = {folder.write("text", "der hund en_US\n")},
                                              .type = "char",
                                              .size = 20,
                                              .user_symbols = {"en_US"}})
                                .vocabulary;
  const LanguageUse languages = coded_languages({"en_US", "de_DE"}, pieces.bytes(), "v");
  EXPECT_THAT(languages.tokens, ElementsAre(Pair("de_DE", 1)));
}

TEST(ListLanguagesTest, ADamagedModelIsNamed) {
  EXPECT_THAT(testing::complaint([] { coded_languages({"de_DE"}, "pieces?", "v.spm"); }), HasSubstr("v.spm"));
}

}  // namespace
}  // namespace nmt
