#include "data/vocabulary/listed/tokenizer_vocabulary.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/complaint.h"
#include "data/small_vocabulary.h"

namespace nmt {
namespace {

using ::testing::AllOf;
using testing::complaint;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Pair;

TEST(TokenizerFacts, ComeFromThreeFiles) {
  const TokenizerFacts facts = tokenizer_facts(
      {R"({"tokenizer_class": "NllbTokenizerFast", "src_lang": "deu", "tgt_lang": null, "legacy_behaviour": true,
           "added_tokens_decoder": {"9": {"content": "deu", "special": true}}, "eos_token": "</s>", "mask_token": null,
           "additional_special_tokens": ["deu"]})",
       R"({"fra": 10, "deu": 9})",
       R"({"pad_token": {"content": "<pad>", "lstrip": false}, "additional_special_tokens": [{"content": "deu"}, "fra"]})"},
      "folder");
  EXPECT_EQ(facts.type, "NllbTokenizer");
  EXPECT_EQ(facts.source_language, "deu");
  EXPECT_EQ(facts.target_language, "");
  EXPECT_TRUE(facts.is_legacy);
  EXPECT_FALSE(facts.separate_vocabs);
  EXPECT_THAT(facts.added, ElementsAre(Pair(9, "deu"), Pair(10, "fra")));
  EXPECT_THAT(facts.special, ElementsAre(Pair("eos_token", "</s>"), Pair("pad_token", "<pad>")));
  EXPECT_THAT(facts.additional, ElementsAre("deu", "fra"));
}

TEST(TokenizerFacts, MayBeNone) {
  EXPECT_EQ(tokenizer_facts({}, "folder").type, "");
  const TokenizerFacts marian = tokenizer_facts(
      {.tokenizer_config = R"({"source_lang": "eng", "target_lang": "deu", "separate_vocabs": true})"}, "m");
  EXPECT_EQ(marian.source_language + marian.target_language, "engdeu");
  EXPECT_TRUE(marian.separate_vocabs);
}

TEST(TokenizerFacts, AreCheckedForTheirForm) {
  const auto refusal = [](const TokenizerFiles& files) {
    return complaint([&] { tokenizer_facts(files, "folder"); });
  };
  EXPECT_EQ(refusal({"{"}), "'folder/tokenizer_config.json' is not valid JSON at its byte 2");
  for (const char* config : {"[]", "7", R"({"tokenizer_class": 7})", R"({"legacy_behaviour": "x"})",
                             R"({"added_tokens_decoder": {"9": "deu"}})", R"({"added_tokens_decoder": [1]})",
                             R"({"additional_special_tokens": [7]})", R"({"eos_token": {"x": 1}})"}) {
    EXPECT_THAT(refusal({config}), HasSubstr("'folder': tokenizer_config.json ")) << config;
  }
  EXPECT_THAT(refusal({R"({"added_tokens_decoder": {"9x": {"content": "a"}}})"}),
              HasSubstr("the id '9x' is not a number"));
  for (const char* id : {"\"b\"", "-1", "0.5", "1e99", "99999999999", "null", "[1]"}) {
    EXPECT_THAT(refusal({.added_tokens = "{\"a\": " + std::string(id) + "}"}),
                AllOf(HasSubstr("'folder': added_tokens.json: an id or a count is "),
                      HasSubstr(", not a whole number from 0 to 2147483647")));
  }
  EXPECT_THAT(refusal({.added_tokens = R"({"a": 5, "b": 5})"}), HasSubstr("'a' and 'b' have the same id, 5"));
  EXPECT_THAT(refusal({.tokenizer_config = std::string(100'000, '[')}),
              HasSubstr("is nested more than 64 levels deep at its byte 65"));
  EXPECT_THAT(refusal({.added_tokens = "{\"" + std::string(100'000, 'x') + "\": 9}"}),
              HasSubstr("an added token has 100000 bytes, more than 4096"));
}

class TokenizerVocabularyTest : public ::testing::Test {
 protected:
  static const std::string& sentencepiece() {
    static const std::string bytes = small_vocabulary("identity").bytes();
    return bytes;
  }
  /// Returns the facts of an NLLB with two languages.
  TokenizerFacts facts() const {
    return {.type = "NllbTokenizer",
            .added = {{2, "</s>"}, {first_, "<mask>"}, {first_ + 2, "fra"}, {first_ + 3, "deu"}}};
  }
  static std::string refusal(const TokenizerFacts& facts) {
    return complaint([&] { make_fairseq_vocabulary(sentencepiece(), facts, 0, "v"); });
  }

  const int first_ = first_added_of_fairseq(sentencepiece(), "v");
};

TEST_F(TokenizerVocabularyTest, LanguagesHaveTheIdsThatFilesName) {
  const Vocabulary vocabulary = make_fairseq_vocabulary(sentencepiece(), facts(), 0, "v");
  EXPECT_THAT(vocabulary.languages(), ElementsAre("deu", "fra"));
  EXPECT_EQ(vocabulary.find("deu"), first_ + 3);
  EXPECT_EQ(vocabulary.piece(first_ + 1), "") << "nothing stands for it";
  EXPECT_EQ(vocabulary.for_languages(Side::source, {"deu", "fra"}).encode("der").front(), first_ + 3);
  TokenizerFacts legacy = facts();
  legacy.is_legacy = true;
  EXPECT_EQ(make_fairseq_vocabulary(sentencepiece(), legacy, 0, "v")
                .for_languages(Side::source, {"deu", "fra"})
                .end(),
            first_ + 3);
}

TEST_F(TokenizerVocabularyTest, LanguagesFollowThePiecesWhereNoFileNamesIds) {
  const Vocabulary vocabulary = make_fairseq_vocabulary(sentencepiece(),
                                                        {.type = "MBart50Tokenizer",
                                                         .added = {{2, "</s>"}, {first_ + 2, "<mask>"}},
                                                         .additional = {"fra", "deu"}},
                                                        0, "v");
  EXPECT_EQ(vocabulary.find("fra"), first_);
  EXPECT_EQ(vocabulary.find("deu"), first_ + 1);
  EXPECT_EQ(vocabulary.find("<mask>"), first_ + 2);
}

TEST_F(TokenizerVocabularyTest, TellsOfTokensInOtherPlaces) {
  TokenizerFacts wrong = facts();
  wrong.added[0] = "<pad>";
  EXPECT_THAT(refusal(wrong),
              HasSubstr("the vocabulary 'v' cannot be used: its files give the token '<pad>' the id 0"));
  wrong = facts();
  wrong.added[first_ - 1] = "ita";
  EXPECT_THAT(refusal(wrong), HasSubstr("give the token 'ita' the id"));
  wrong = facts();
  wrong.added[first_ + 100] = "ita";
  EXPECT_THAT(refusal(wrong), HasSubstr("far above all others"));
  wrong = facts();
  wrong.additional = {"deu", "ita"};
  EXPECT_THAT(refusal(wrong), HasSubstr("its files name no id of 'ita'"));
  EXPECT_THAT(refusal({.type = "NllbTokenizer"}), HasSubstr("its files name no languages"));
  EXPECT_THAT(refusal({.type = "T5Tokenizer"}), HasSubstr("its tokenizer is 'T5Tokenizer'"));
  EXPECT_THAT(complaint([] { make_fairseq_vocabulary("", TokenizerFacts{.type = "NllbTokenizer"}, 0, "v"); }),
              HasSubstr("the vocabulary 'v' cannot be used"));
}

TEST_F(TokenizerVocabularyTest, M2mHasLanguagesBehindItsWords) {
  const WordList words = {"<s>", "<pad>", "</s>", "<unk>", "▁der", "▁hund"};
  const Vocabulary vocabulary = make_m2m_vocabulary(
      sentencepiece(), words, {.type = "M2M100Tokenizer", .additional = {"__de__", "__en__"}}, 12, "v");
  EXPECT_THAT(vocabulary.languages(), ElementsAre("de", "en"));
  EXPECT_EQ(vocabulary.find("__en__"), 7);
  EXPECT_EQ(vocabulary.size(), 8);
  EXPECT_EQ(vocabulary.rows(), 12);
  EXPECT_THAT(vocabulary.for_languages(Side::source, {"de", "en"}).encode("der hund"), ElementsAre(6, 4, 5));
  const Vocabulary english = vocabulary.for_languages(Side::target, {"de", "en"});
  EXPECT_THAT(english.first_tokens(), ElementsAre(7));
  EXPECT_EQ(english.decode({7, 4, 3, 5}), "der hund");
  EXPECT_THAT(complaint([&] {
                make_m2m_vocabulary(sentencepiece(), words, {.type = "M2M100Tokenizer", .additional = {"de"}},
                                    0, "v");
              }),
              HasSubstr("'de' is not the token of a language"));
  EXPECT_THAT(complaint([&] {
                make_m2m_vocabulary(sentencepiece(), {"<s>", "</s>"}, facts(), 0, "v");
              }),
              HasSubstr("its list lacks <unk>"));
}

TEST_F(TokenizerVocabularyTest, M2mHasItsLanguagesWhereNoFileNamesAny) {
  const WordList words = {"<s>", "<pad>", "</s>", "<unk>"};
  const Vocabulary vocabulary =
      make_m2m_vocabulary(sentencepiece(), words, {.type = "M2M100Tokenizer"}, 0, "v");
  EXPECT_EQ(vocabulary.languages().size(), 100U);
  EXPECT_EQ(vocabulary.find("__af__"), 4);
  EXPECT_EQ(vocabulary.find("__zu__"), 103);
}

}  // namespace
}  // namespace nmt
