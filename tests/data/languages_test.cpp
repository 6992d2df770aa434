// Tests languages of a vocabulary whose tokens are in brackets.
#include "data/vocabulary/languages.h"

#include <gmock/gmock.h>

#include "common/complaint.h"
#include "common/error.h"
#include "common/temporary_folder.h"
#include "data/generated_text.h"
#include "data/vocabulary/vocabulary_trainer.h"
#include "data/vocabulary/words.h"

namespace nmt {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Pair;

TEST(LanguagesTest, BracketsTellTheSourceWhereItGoes) {
  const LanguageUse languages = bracketed_languages({">>deu<<", ">>deu<", ">><<", "deu_Latn", "▁>>fra<<"});
  EXPECT_THAT(languages.tokens, ElementsAre(Pair("deu", 0), Pair("fra", 4)));
  EXPECT_EQ(languages.source, LanguageUse::Source::target_before);
  EXPECT_EQ(languages.target, LanguageUse::Target::none);
  EXPECT_THAT(bracketed_languages({"deu"}).tokens, IsEmpty());
}

TEST(LanguagesTest, ASourceMayBeginWithTheTokenOfALanguage) {
  LanguageUse languages = bracketed_languages({">>de<<", ">>pt-BR<<"});
  EXPECT_EQ(languages.token_in_front(">>pt-BR<< ol\u00E1"), ">>pt-BR<<");
  for (const char* token : {">>pt-BR<<", "▁>>pt-BR<<"}) EXPECT_TRUE(languages.is_token_in_front(token, 1));
  EXPECT_FALSE(languages.is_token_in_front(">>pt-BR<<", 0));
  EXPECT_FALSE(languages.is_token_in_front("pt-BR", 1));
  for (const char* none : {">>fr<< a", "a >>de<<", ">>de< a", ">>", "", " >>de<< a"})
    EXPECT_EQ(languages.token_in_front(none), "") << none;
  languages.source = LanguageUse::Source::own_before;
  EXPECT_EQ(languages.token_in_front(">>de<< a"), "") << "its own language, which is not told so";
  EXPECT_FALSE(languages.is_token_in_front(">>de<<", 0));
}

/// Vocabularies of SentencePiece with the languages de and en_GB.
class VocabularyLanguagesTest : public ::testing::TestWithParam<const char*> {
 protected:
  static Vocabulary trained(const std::vector<std::string>& symbols = {"▁>>de<<", "▁>>en_GB<<"}) {
    const TemporaryFolder folder;
    VocabularySettings settings;
    settings.inputs = {folder.write("text", GeneratedText(1).text(300).source)};
    settings.type = GetParam();
    settings.size = 40;
    settings.user_symbols = symbols;
    return train_vocabulary(settings).vocabulary;
  }
};

TEST_P(VocabularyLanguagesTest, ATextIsToldItsLanguageOnce) {
  const Vocabulary plain = trained();
  EXPECT_THAT(plain.languages(), ElementsAre("de", "en_GB"));
  const Vocabulary german = plain.for_languages(Side::source, {"", "de"});
  std::vector<int> expected = plain.encode("the old dog");
  expected.insert(expected.begin(), plain.find("▁>>de<<").value());
  EXPECT_EQ(german.encode("the old dog"), expected);
  EXPECT_EQ(plain.encode(">>de<< the old dog"), expected) << "as it stands in a text";
  for (const Vocabulary& other : {german, plain.for_languages(Side::source, {"", "en_GB"})}) {
    for (const char* text : {">>de<< the old dog", "  >>de<< the old dog"})
      EXPECT_EQ(other.encode(text), expected) << "which a text may tell itself";
    EXPECT_THAT(other.encode(">>de<<"), IsEmpty()) << "which is not text";
    EXPECT_THAT(other.pieces(">>de<<"), IsEmpty());
  }
  EXPECT_FALSE(plain.lacks_language(expected));
  EXPECT_TRUE(plain.lacks_language(plain.encode("the old dog")));
  EXPECT_FALSE(plain.for_languages(Side::target, {"", "de"}).tells_languages());
  EXPECT_TRUE(german.tells_languages());
  EXPECT_EQ(german.without_language(">>de<< the dog"), "the dog");
  EXPECT_EQ(german.without_language(">>fr<< the dog"), ">>fr<< the dog");
  EXPECT_EQ(german.pieces("the old dog").front(), "▁>>de<<");
  EXPECT_EQ(german.pieces("the old dog").size(), expected.size());
  EXPECT_EQ(german.pieces(">>de<< the old dog").size(), expected.size());
  EXPECT_EQ(german.decode(expected), plain.decode(plain.encode("the old dog")));
  EXPECT_THAT(german.encode(""), IsEmpty());
  EXPECT_EQ(plain.for_languages(Side::target, {"", "de"}), plain) << "a translation begins with its words";
}

TEST_P(VocabularyLanguagesTest, ATokenThatATextHasItselfIsAWordOfIt) {
  const Vocabulary plain = trained(), german = plain.for_languages(Side::source, {"", "de"});
  const std::string text = "the old dog";
  const Words words = words_of(german, text, german.encode(text));
  EXPECT_EQ(words.count, 3);
  EXPECT_EQ(words.of_piece[0], 3) << "of no word";
  EXPECT_EQ(words.of_piece[1], 0);
  for (const Vocabulary& vocabulary : {plain, german, plain.for_languages(Side::source, {"", "en_GB"})}) {
    const Words with_token =
        words_of(vocabulary, ">>de<< the old dog", vocabulary.encode(">>de<< the old dog"));
    EXPECT_EQ(with_token.count, 4);
    EXPECT_EQ(with_token.of_piece[0], 0);
  }
}

TEST_P(VocabularyLanguagesTest, OtherLanguagesAreRefused) {
  const Vocabulary plain = trained();
  const auto refused = [&](const Languages& languages) {
    return testing::complaint<UsageError>([&] { (void)plain.for_languages(Side::source, languages); });
  };
  EXPECT_EQ(refused({"", "fr"}), "`target_language` 'fr' is not a language of the model: de, en_GB");
  for (const char* given : {"en_US", "eng_Cyrl", "??", "und", "-"}) {
    EXPECT_EQ(refused({"", given}),
              fmt::format("`target_language` '{}' is not a language of the model: de, en_GB", given));
  }
  for (const auto& [given, meant] :
       {std::pair{"en_gb", "en_GB"}, {"eng_Latn", "en_GB"}, {"DE", "de"}, {"deu", "de"}, {"de-AT", "de"}}) {
    EXPECT_EQ(plain.for_languages(Side::source, {"", given}).encode("the"),
              plain.for_languages(Side::source, {"", meant}).encode("the"))
        << given;
  }
  EXPECT_EQ(refused({"en", "de"}),
            "`source_language` 'en': the model does not use the language of its source; leave it out");
}

TEST_P(VocabularyLanguagesTest, SymbolsInsideOfWordsAreNone) {
  const Vocabulary vocabulary = trained({">>de<<", "<BT>"});
  if (GetParam() == std::string("word")) {  // each symbol is a word of its own
    EXPECT_THAT(vocabulary.languages(), ElementsAre("de"));
    return;
  }
  EXPECT_THAT(vocabulary.languages(), IsEmpty());
  EXPECT_EQ(testing::complaint<UsageError>([&] {
              (void)vocabulary.for_languages(Side::source, {"en", ""});
            }),
            "`source_language` 'en': the vocabulary has no language tokens; leave it out");
}

INSTANTIATE_TEST_SUITE_P(Types, VocabularyLanguagesTest, ::testing::Values("unigram", "bpe", "char", "word"),
                         [](const auto& type) { return std::string(type.param); });

}  // namespace
}  // namespace nmt
