// Tests vocabularies of other toolkits' models with these toolkits' results.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "common/reference_data.h"
#include "data/vocabulary/listed/tokenizer_vocabulary.h"

namespace nmt {
namespace {

using testing::contents_of;
using testing::reference_data;

/// Skips tests if the models are missing.
class ForeignVocabularies : public ::testing::Test {
 protected:
  void SetUp() override {
    if (folder_.empty()) GTEST_SKIP() << "NMT_REFERENCE_DATA names no folder with foreign";
  }

  std::string file(const std::string& name) const { return contents_of(folder_ + "/" + name); }
  std::vector<std::string> lines(const std::string& name) const {
    std::ifstream stream(folder_ + "/" + name);
    std::vector<std::string> lines;
    for (std::string line; std::getline(stream, line);) lines.push_back(line);
    return lines;
  }
  /// Returns the answers of Hugging Face's transformers.
  nlohmann::json answers(const std::string& model) const {
    return nlohmann::json::parse(file("huggingface/" + model + "/answers.json"));
  }
  /// Removes ids at the beginning and the end.
  static std::vector<int> inner(const std::vector<int>& ids, std::ptrdiff_t beginning, std::ptrdiff_t end) {
    return {ids.begin() + beginning, ids.end() - end};
  }

  std::string folder_ = reference_data("foreign");
};

TEST_F(ForeignVocabularies, MarianOfTransformers) {
  WordList words = word_list_from_json(file("huggingface/marian/vocab.json"), "vocab.json");
  ASSERT_EQ(words.back(), "<pad>");
  words.pop_back();
  const Vocabulary source = make_piece_vocabulary(file("huggingface/marian/source.spm"), words, {}, "source"),
                   target = make_piece_vocabulary(file("huggingface/marian/target.spm"), words, {}, "target");
  EXPECT_EQ(source.size(), 1894);
  EXPECT_EQ(source.end(), 0);
  EXPECT_THAT(source.languages(), ::testing::IsEmpty());
  for (const auto& answer : answers("marian")) {
    const std::string text = answer["source"], reference = answer["reference"];
    EXPECT_EQ(source.encode(text), inner(answer["source_ids"], 0, 1)) << text;
    EXPECT_EQ(target.encode(reference), inner(answer["target_ids"], 0, 1)) << reference;
    for (const char* beam : {"beam4", "greedy"}) {
      const std::vector<int> ids = answer[std::string(beam) + "_ids"];
      EXPECT_EQ(target.decode(inner(ids, 1, 0)), answer[beam].get<std::string>())
          << "without <pad>, which is not a word";
    }
  }
}

TEST_F(ForeignVocabularies, NllbOfTransformers) {
  const std::string folder = "huggingface/nllb/";
  const TokenizerFacts facts =
      tokenizer_facts({file(folder + "tokenizer_config.json"), file(folder + "added_tokens.json"),
                       file(folder + "special_tokens_map.json")},
                      "nllb");
  EXPECT_EQ(facts.type, "NllbTokenizer");
  EXPECT_EQ(facts.special.at("eos_token"), "</s>");
  const Vocabulary vocabulary =
      make_fairseq_vocabulary(file(folder + "sentencepiece.bpe.model"), facts, 1404, "nllb");
  EXPECT_EQ(vocabulary.size(), 1404);
  EXPECT_EQ(vocabulary.languages().size(), 202U);
  EXPECT_EQ(vocabulary.find("<mask>"), 1201);
  const Languages languages{facts.source_language, facts.target_language};
  const Vocabulary source = vocabulary.for_languages(Side::source, languages),
                   target = vocabulary.for_languages(Side::target, languages);
  EXPECT_THAT(target.first_tokens(), ::testing::ElementsAre(1243));
  for (const auto& answer : answers("nllb")) {
    const std::string text = answer["source"], reference = answer["reference"];
    EXPECT_EQ(source.encode(text), inner(answer["source_ids"], 0, 1)) << text;
    EXPECT_EQ(target.encode(reference), inner(answer["target_ids"], 0, 1)) << reference;
    EXPECT_EQ(target.decode(answer["beam4_ids"]), answer["beam4"].get<std::string>());
    EXPECT_EQ(target.decode(answer["greedy_ids"]), answer["greedy"].get<std::string>());
  }
}

TEST_F(ForeignVocabularies, AnOpusPackageOfMarian) {
  WordList words = word_list_from(file("marian/opus-like/opus.vocab.yml"), "opus.vocab.yml");
  name_special_words(words);
  const Vocabulary source = make_piece_vocabulary(file("marian/opus-like/source.spm"), words, {}, "source"),
                   target = make_piece_vocabulary(file("marian/opus-like/target.spm"), words, {}, "target");
  EXPECT_EQ(source.size(), 1934);
  EXPECT_EQ(source.unknown(), 1);
  for (const std::string& text : lines("marian/in.en")) {
    EXPECT_THAT(source.encode(text), ::testing::Each(::testing::Ne(source.unknown()))) << text;
    EXPECT_EQ(source.decode(source.encode(text)), text);
  }
  const Vocabulary as_words = make_word_vocabulary(words, {}, "words");
  for (const std::string& pieces : lines("marian/opus-like/beam6.pieces.txt")) {
    const std::vector<int> ids = as_words.encode(pieces);
    EXPECT_EQ(as_words.decode(ids), pieces);
    std::string text = pieces;
    std::erase(text, ' ');
    for (std::size_t at = 0; (at = text.find("▁")) != text.npos;) text.replace(at, 3, " ");
    EXPECT_EQ(target.decode(ids), text.substr(1));
  }
}

TEST_F(ForeignVocabularies, SentencePieceOfMarian) {
  const Vocabulary joint = Vocabulary::from_bytes(file("marian/joint.spm"), "joint.spm");
  EXPECT_EQ(joint.end(), 0);
  EXPECT_EQ(joint.unknown(), 1);
  EXPECT_EQ(joint.begin(), std::nullopt);
  for (const std::string& text : lines("marian/transformer-post/beam4.txt")) {
    EXPECT_EQ(joint.decode(joint.encode(text)), text);
  }
}

TEST_F(ForeignVocabularies, ListsOfCTranslate2) {
  const std::string folder = "ctranslate2/aren-transliteration-v2/";
  WordList words = word_list_from(file(folder + "source_vocabulary.txt"), "source_vocabulary.txt");
  ASSERT_EQ(words.size(), 50U);
  words.emplace_back("<unk>");
  const Vocabulary letters =
      make_word_vocabulary(words, {.end = 2, .unknown = 50, .begin = 1, .special = {0}}, "letters");
  EXPECT_EQ(letters.end(), letters.find("</s>"));
  EXPECT_THAT(letters.encode("آ ت x"), ::testing::ElementsAre(letters.find("▁آ"), letters.find("▁ت"), 50));
}

/// An mBART whose files do not name languages, which follow from its type of tokenizer.
TEST_F(ForeignVocabularies, LanguagesOfATypeOfTokenizer) {
  const std::string sentencepiece = file("huggingface/nllb/sentencepiece.bpe.model");
  const Vocabulary mbart = make_fairseq_vocabulary(sentencepiece, {.type = "MBartTokenizer"}, 0, "mbart"),
                   mbart50 =
                       make_fairseq_vocabulary(sentencepiece, {.type = "MBart50Tokenizer"}, 0, "mbart50");
  EXPECT_EQ(mbart.find("ar_AR"), 1201);
  EXPECT_EQ(mbart.find("<mask>"), 1201 + 25);
  EXPECT_EQ(mbart50.find("sl_SI"), 1201 + 51);
  EXPECT_EQ(mbart50.find("<mask>"), 1201 + 52);
  EXPECT_EQ(mbart.for_languages(Side::source, {"en_XX", "ro_RO"}).end(), mbart.find("en_XX"));
  EXPECT_EQ(mbart.for_languages(Side::target, {"en_XX", "ro_RO"}).begin(), mbart.find("ro_RO"));
  EXPECT_EQ(mbart50.for_languages(Side::target, {"en_XX", "ro_RO"}).first_tokens().front(),
            mbart50.find("ro_RO"));
}

}  // namespace
}  // namespace nmt
