#include "data/vocabulary/listed/listed_vocabulary.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/complaint.h"
#include "data/small_vocabulary.h"

namespace nmt {
namespace {

using ::testing::AllOf;
using testing::complaint;
using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

/// Returns a SentencePiece model: <unk> 0, <s> 1, </s> 2, and the words of the toy language.
const std::string& sentencepiece() {
  static const std::string bytes = small_vocabulary("identity").bytes();
  return bytes;
}

/// Returns the vocabulary read from the bytes of another one.
Vocabulary read_again(const Vocabulary& vocabulary) {
  Vocabulary again = Vocabulary::from_bytes(vocabulary.bytes(), "v");
  EXPECT_EQ(again, vocabulary);
  return again;
}

TEST(WordVocabulary, HasAWordBetweenBlanks) {
  const Vocabulary words =
      read_again(make_word_vocabulary({"</s>", "<unk>", "der", "", "a\\n\nb\\", "x\ty"}, {.rows = 9}, "v"));
  EXPECT_THAT(words.encode("der x\ty  da "), ElementsAre(2, 5, 1));
  EXPECT_THAT(words.pieces("der  da"), ElementsAre("▁der", "▁da"));
  EXPECT_THAT(words.encode("</s> <unk>"), ElementsAre(1, 1)) << "text does not spell special tokens";
  EXPECT_EQ(words.decode({2, 1, 5, 0}), "der ⁇ x\ty");
  EXPECT_THAT(words.encode(""), ElementsAre());
  EXPECT_EQ(words.size(), 6);
  EXPECT_EQ(words.rows(), 9);
  EXPECT_EQ(words.begin(), std::nullopt);
  EXPECT_FALSE(words.samples());
}

TEST(WordVocabulary, FindsWhatItNames) {
  const Vocabulary words = make_word_vocabulary({"</s>", "<unk>", "der", "", "<s>"}, {.begin = 4}, "v");
  for (const int id : {0, 1, 2, 4}) EXPECT_EQ(words.find(words.piece(id)), id);
  EXPECT_EQ(words.piece(2), "▁der");
  EXPECT_EQ(words.piece(0), "</s>");
  for (const char* none : {"der", "▁", "", "▁</s>"}) EXPECT_EQ(words.find(none), std::nullopt) << none;
  EXPECT_TRUE(words.is_special(4));
  EXPECT_EQ(words.begin(), 4);
}

TEST(PieceVocabulary, LooksPiecesUpInAList) {
  const Vocabulary inner = Vocabulary::from_bytes(sentencepiece(), "spm");
  const Vocabulary pieces = read_again(make_piece_vocabulary(
      sentencepiece(), {"</s>", "<unk>", "▁hund", "▁der", "▁no", "<pad>"}, {.special = {5}}, "v"));
  EXPECT_THAT(pieces.encode("der hund rennt"), ElementsAre(3, 2, 1));
  EXPECT_THAT(pieces.pieces("der rennt"), ElementsAre("▁der", "▁rennt"));
  EXPECT_EQ(pieces.decode({3, 2, 5, 0}), "der hund");
  EXPECT_EQ(pieces.decode({3, 1, 4}), "der ⁇  no") << "what only the list knows stands as it is";
  EXPECT_EQ(pieces.find("▁hund"), 2);
  EXPECT_EQ(pieces.end(), 0);
  EXPECT_EQ(pieces.samples(), inner.samples());
}

TEST(PieceVocabulary, ATextMayBeginWithItsLanguage) {
  const LanguageUse languages{.tokens = {{"deu", 3}, {"x", 2}}, .source = LanguageUse::Source::target_before};
  const Vocabulary pieces = make_piece_vocabulary(
      sentencepiece(), {"</s>", "<unk>", "▁der", ">>deu<<", "▁hund"}, {.languages = languages}, "v");
  for (const char* text : {">>deu<< der hund", ">>deu<<der hund"}) {
    EXPECT_THAT(pieces.encode(text), ElementsAre(3, 2, 4)) << text;
  }
  EXPECT_THAT(pieces.pieces(">>deu<< der"), ElementsAre(">>deu<<", "▁der"));
  for (const char* text : {">>fra<< der", ">>x<< der", "der >>deu<<", ">>deu< der", ">>"}) {
    EXPECT_THAT(pieces.encode(text), Not(::testing::Contains(3))) << text;
  }
  const Vocabulary german = pieces.for_languages(Side::source, {.target = "deu"});
  EXPECT_EQ(german.encode("der hund"), pieces.encode(">>deu<< der hund"));
  EXPECT_EQ(german.pieces("der hund"), pieces.pieces(">>deu<< der hund"));
  EXPECT_EQ(german.encode(">>deu<< der hund"), pieces.encode(">>deu<< der hund")) << "which is told once";
  EXPECT_EQ(german.decode({3, 2}), "der");
  EXPECT_THAT(german.encode(""), ElementsAre()) << "an empty text stays empty";
  EXPECT_EQ(pieces.for_languages(Side::target, {.target = "deu"}), pieces);
  EXPECT_EQ(pieces.for_languages(Side::source, {}), pieces) << "a text may tell its language itself";
}

TEST(PieceVocabulary, FindsLanguagesInAList) {
  const LanguageUse languages =
      bracketed_languages({"</s>", "<unk>", ">>deu<<", ">>gos_x<<", ">><<", ">>a", "a<<"});
  EXPECT_THAT(languages.codes(), ElementsAre("deu", "gos_x"));
  EXPECT_EQ(languages.tokens.at("gos_x"), 3);
  EXPECT_EQ(languages.source, LanguageUse::Source::target_before);
  EXPECT_EQ(bracketed_languages({"</s>"}), LanguageUse());
  EXPECT_EQ(complaint<UsageError>([&] {
              (void)languages.tokens_of(Side::source, {"eng", "deu"}, 0);
            }),
            "`source_language` 'eng': the model does not use the language of its source; leave it out");
}

TEST(PieceVocabulary, MayNormalizeText) {
  const WordList words = {"</s>", "<unk>", "▁der", "▁hund"};
  const Vocabulary plain = make_piece_vocabulary(sentencepiece(), words, {}, "v"),
                   normalizing =
                       read_again(make_piece_vocabulary(sentencepiece(), words, {.normalizes = true}, "v"));
  EXPECT_THAT(normalizing.encode("der\thund"), ElementsAre(2, 3));
  EXPECT_THAT(plain.encode("der\thund"), ElementsAre(1));
  EXPECT_FALSE(plain == normalizing);
}

class FairseqVocabularyTest : public ::testing::Test {
 protected:
  static Vocabulary of(LanguageUse::Source source, LanguageUse::Target target, int rows = 0) {
    return read_again(make_fairseq_vocabulary(sentencepiece(), {"de_DE", "", "en_XX", "<mask>"},
                                              {{{"de_DE", kGerman}, {"en_XX", kGerman + 2}}, source, target},
                                              rows, "v"));
  }

  static const int kGerman;
  const Vocabulary inner_ = Vocabulary::from_bytes(sentencepiece(), "spm");
  const Vocabulary nllb_ = of(LanguageUse::Source::own_before, LanguageUse::Target::first, 100);
};
const int FairseqVocabularyTest::kGerman = Vocabulary::from_bytes(sentencepiece(), "spm").size() + 1;

TEST_F(FairseqVocabularyTest, NumbersPiecesOneHigher) {
  const std::vector<int> ids = nllb_.encode("der hund \u6F22");
  ASSERT_EQ(ids.size(), 3U);
  EXPECT_EQ(ids[0], inner_.find("▁der").value() + 1);
  EXPECT_EQ(ids[2], nllb_.unknown());
  EXPECT_EQ(nllb_.decode(ids), "der hund") << "the unknown piece vanishes";
  EXPECT_EQ(nllb_.pieces("der hund"), inner_.pieces("der hund"));
  EXPECT_EQ(nllb_.size(), kGerman + 4);
  EXPECT_EQ(nllb_.rows(), 100);
  EXPECT_EQ(nllb_.decode({0, 1, 2, kGerman, kGerman + 1, kGerman + 3}), "");
  EXPECT_THROW(nllb_.decode({kGerman + 4}), Error);
}

TEST_F(FairseqVocabularyTest, FindsWhatItNames) {
  const char* const special[] = {"<s>", "<pad>", "</s>", "<unk>"};
  for (int id = 0; id < 4; ++id) EXPECT_EQ(nllb_.find(special[id]), id);
  for (int id = 0; id < nllb_.size(); ++id) {
    EXPECT_EQ(nllb_.find(nllb_.piece(id)), id == kGerman + 1 ? std::nullopt : std::optional(id));
  }
  EXPECT_EQ(nllb_.find("en_XX"), kGerman + 2);
  EXPECT_EQ(nllb_.find(""), std::nullopt);
}

TEST_F(FairseqVocabularyTest, ATranslationMayBeginWithItsLanguage) {
  const Languages languages{"en_XX", "de_DE"};
  const Vocabulary source = nllb_.for_languages(Side::source, languages),
                   target = nllb_.for_languages(Side::target, languages);
  std::vector<int> ids = nllb_.encode("der hund");
  ids.insert(ids.begin(), kGerman + 2);
  EXPECT_EQ(source.encode("der hund"), ids);
  EXPECT_THAT(source.first_tokens(), ElementsAre());
  EXPECT_EQ(source.end(), 2);
  ids[0] = kGerman;
  EXPECT_EQ(target.encode("der hund"), ids);
  EXPECT_THAT(target.first_tokens(), ElementsAre(kGerman));
  EXPECT_EQ(target.decode(ids), "der hund");
  EXPECT_THAT(target.encode(""), ElementsAre(kGerman));
  EXPECT_THAT(target.pieces(""), ElementsAre("de_DE"));
  EXPECT_EQ(target.begin(), 0);
}

TEST_F(FairseqVocabularyTest, ALanguageMayStandInPlaceOfSpecialTokens) {
  const Vocabulary mbart = of(LanguageUse::Source::own_at_end, LanguageUse::Target::begin);
  const Vocabulary source = mbart.for_languages(Side::source, {"en_XX", "de_DE"}),
                   target = mbart.for_languages(Side::target, {"en_XX", "de_DE"});
  std::vector<int> ids = mbart.encode("der hund");
  EXPECT_EQ(target.encode("der hund"), ids);
  EXPECT_EQ(target.begin(), kGerman);
  EXPECT_EQ(target.end(), 2);
  ids.push_back(2);
  EXPECT_EQ(source.encode("der hund"), ids);
  EXPECT_EQ(source.end(), kGerman + 2);
  EXPECT_EQ(source.pieces("der hund").back(), "</s>");
  EXPECT_THAT(source.encode(""), ElementsAre());
}

TEST_F(FairseqVocabularyTest, WhatIsForOtherLanguagesIsAnother) {
  const Vocabulary german = nllb_.for_languages(Side::target, {"", "de_DE"}),
                   english = nllb_.for_languages(Side::target, {"", "en_XX"});
  EXPECT_FALSE(german == english);
  EXPECT_FALSE(german == nllb_);
  EXPECT_TRUE(german.has_pieces_of(english));
  EXPECT_EQ(german.for_languages(Side::target, {"", "en_XX"}), english) << "the last ones count";
  EXPECT_EQ(german.bytes(), nllb_.bytes());
}

TEST_F(FairseqVocabularyTest, TellsOfLanguagesThatAreNone) {
  EXPECT_THAT(nllb_.languages(), ElementsAre("de_DE", "en_XX"));
  const auto refusal = [](const Vocabulary& vocabulary, Side side, const Languages& languages) {
    return complaint<UsageError>([&] { (void)vocabulary.for_languages(side, languages); });
  };
  EXPECT_EQ(refusal(nllb_, Side::source, {"", "de_DE"}),
            "the model has several languages; choose one with `source_language`: de_DE, en_XX");
  EXPECT_EQ(refusal(nllb_, Side::target, {"de_DE", ""}),
            "the model has several languages; choose one with `target_language`: de_DE, en_XX");
  EXPECT_EQ(refusal(nllb_, Side::target, {"", "de_AT"}),
            "`target_language` 'de_AT' is not a language of the model: de_DE, en_XX");
  EXPECT_EQ(refusal(nllb_, Side::source, {"swe", "de_DE"}),
            "`source_language` 'swe' is not a language of the model: de_DE, en_XX");
  EXPECT_EQ(refusal(inner_, Side::source, {"de", ""}),
            "`source_language` 'de': the vocabulary has no language tokens; leave it out");
}

class UnusableLists : public ::testing::Test {
 protected:
  static void expect(const WordList& words, const ListFacts& facts, const std::string& reason) {
    EXPECT_THAT(complaint([&] { make_word_vocabulary(words, facts, "v.yml"); }),
                AllOf(StartsWith("the vocabulary 'v.yml' cannot be used: "), HasSubstr(reason)));
  }
};

TEST_F(UnusableLists, HaveFactsThatDoNotFit) {
  const WordList words = {"</s>", "<unk>", "der"};
  expect(words, {.end = 3}, "its EOS has the id 3, but there are 3 words");
  expect(words, {.unknown = -1}, "an id or a count is -1, not a whole number");
  expect(words, {.unknown = 0}, "EOS and the unknown word have the same id, 0");
  expect(words, {.begin = 9}, "its BOS has the id 9");
  expect(words, {.special = {2, 3}}, "its special token has the id 3");
  expect(words, {.rows = 2}, "it has 3 words, but the tables of the model have 2 rows");
  expect(words, {.rows = 1 << 30}, "rows");
  expect(words, {.languages = {.tokens = {{"de", 3}}}}, "its language has the id 3");
  expect(words, {.languages = {.tokens = {{"d e", 2}}}}, "'d e', which is not a code");
}

TEST_F(UnusableLists, HaveWordsThatAreNone) {
  expect({"a", "b", "a"}, {}, "the word 'a' occurs twice");
  expect({"a", "b\xFF"}, {}, "is not valid UTF-8");
  expect({}, {}, "there are 0 words");
}

TEST_F(UnusableLists, HaveNoSentencePieceModel) {
  EXPECT_THAT(complaint([] {
                make_piece_vocabulary("none", {"</s>", "<unk>"}, {}, "v");
              }),
              StartsWith("the vocabulary 'v' cannot be used: "));
  EXPECT_THAT(complaint([] {
                make_piece_vocabulary("none", {"</s>", "<unk>"}, {}, "vocab.yml", "source.spm");
              }),
              StartsWith("the vocabulary 'source.spm' cannot be used: "));
  EXPECT_THAT(complaint([] { make_fairseq_vocabulary("", {}, {}, 0, "v"); }),
              StartsWith("the vocabulary 'v' cannot be used: "));
}

TEST(ListedVocabularies, TellOfDamage) {
  const LanguageUse languages{{{"deu", 2}}, LanguageUse::Source::target_before, LanguageUse::Target::none};
  const std::string bytes =
      make_piece_vocabulary(sentencepiece(), {"</s>", "<unk>", ">>deu<<"}, {.languages = languages}, "v")
          .bytes();
  EXPECT_THAT(bytes,
              StartsWith("nmt.vocabulary pieces\n{\"end\":0,\"languages\":{\"deu\":2},\"sentencepiece\":"));
  for (std::size_t size = vocabulary_header("pieces").size(); size < bytes.size();
       size += size < 300 ? 1 : 41) {
    EXPECT_THROW(Vocabulary::from_bytes(bytes.substr(0, size), "v"), Error) << size;
  }
  for (const auto& [what, with] : {std::pair{"\"end\":0", "\"end\":0.5"},
                                   {"\"end\":0", "\"end\":1e99"},
                                   {"\"end\":0", "\"end\":-1"},
                                   {"\"end\":0", "\"end\": 0"},
                                   {"\"end\":0", "\"end\":\"\""},
                                   {"\"end\":0,", ""},
                                   {"\"end\":0", "\"end\":0,\"later\":1"},
                                   {"\"end\":0", "\"end\":0,\"end\":0"},
                                   {"\"unknown\":1", "\"unknown\":7"},
                                   {"\"target_before\"", "\"before\""},
                                   {"\"words\":3", "\"words\":4"},
                                   {"\"words\":3", "\"words\":3,\"x\":[[[["},
                                   {"{\"deu\":2}", "[\"deu\"]"},
                                   {"{\"deu\":2}", "{\"deu\":1e99}"},
                                   {"pieces", "words"},
                                   {"pieces", "fairseq"},
                                   {"<unk>\n", "<unk>\\\n"},
                                   {"<unk>\n", "\\<unk>\n"}}) {
    std::string damaged = bytes;
    damaged.replace(damaged.find(what), std::string(what).size(), with);
    EXPECT_THAT(complaint([&] { Vocabulary::from_bytes(damaged, "v"); }),
                StartsWith("the vocabulary 'v' is damaged: "))
        << what << " -> " << with;
  }
}

}  // namespace
}  // namespace nmt
