// Reads tokenizer.json. The expected ids are those of the `tokenizers` library 0.23 for the same files.
#include "foreign/huggingface/tokenizer_json.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "common/complaint.h"
#include "data/vocabulary/listed/tokenizer_vocabulary.h"

namespace nmt {
namespace {

using nlohmann::json;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

const json kMetaspace = {{"type", "Metaspace"}, {"replacement", "\u2581"}, {"prepend_scheme", "always"}};
const json kSqueeze = {{"type", "Replace"}, {"pattern", {{"Regex", " {2,}"}}}, {"content", " "}};

/// Returns a tokenizer with a model, whose last two words are a language and <mask>.
json tokenizer(json model, int words) {
  json added = json::array();
  int id = 0;
  for (const char* const token : {"<s>", "<pad>", "</s>", "<unk>"})
    added.push_back({{"id", id++}, {"content", token}, {"special", true}});
  added.push_back({{"id", words - 2}, {"content", "de_DE"}, {"special", true}});
  added.push_back({{"id", words - 1}, {"content", "<mask>"}, {"special", true}});
  return {{"added_tokens", added},
          {"normalizer", kSqueeze},
          {"pre_tokenizer", kMetaspace},
          {"model", std::move(model)}};
}

json unigram() {
  json pieces = json::array();
  for (const char* const token : {"<s>", "<pad>", "</s>", "<unk>"}) pieces.push_back({token, 0});
  const std::pair<const char*, double> scored[] = {{"\u2581", -3},    {"a", -2},    {"b", -2.5},  {"ab", -4},
                                                   {"\u2581a", -3.5}, {"de_DE", 0}, {"<mask>", 0}};
  for (const auto& [piece, score] : scored) pieces.push_back({piece, score});
  return tokenizer({{"type", "Unigram"}, {"unk_id", 3}, {"vocab", pieces}}, 11);
}

json bpe() {
  json words;
  int id = 0;
  for (const char* const word :
       {"<s>", "<pad>", "</s>", "<unk>", "ab", "\u2581a", "\u2581ab", "\u2581", "a", "b"})
    words[word] = id++;
  const json merges = json::parse(R"([["a", "b"], ["\u2581", "a"], ["\u2581", "ab"], ["\u2581a", "b"]])");
  return tokenizer({{"type", "BPE"}, {"fuse_unk", true}, {"vocab", words}, {"merges", merges}}, 12);
}

json byte_level() {
  json words;
  int id = 0;
  for (const char* const word : {"<s>", "<pad>", "</s>", "<unk>", "a", "b", "\u0120", "ab", "\u0120ab"})
    words[word] = id++;
  json made = tokenizer(
      {{"type", "BPE"}, {"vocab", words}, {"merges", json::parse(R"([["a", "b"], ["\u0120", "ab"]])")}}, 11);
  made["normalizer"] = nullptr;
  made["pre_tokenizer"] = {{"type", "ByteLevel"}, {"add_prefix_space", false}};
  return made;
}

Vocabulary fairseq(const json& file) {
  const TokenizerJson read(file.dump(), "tokenizer.json");
  TokenizerFacts facts{.type = "MBart50Tokenizer", .added = read.added(), .names_all_tokens = true};
  return make_fairseq_vocabulary(read.fairseq_sentencepiece(), facts, 0, read.name());
}

TEST(TokenizerJson, UnigramChoosesTheMostProbablePieces) {
  const Vocabulary vocabulary = fairseq(unigram());
  EXPECT_THAT(vocabulary.encode("ab  a"), ElementsAre(8, 6, 8));
  EXPECT_THAT(vocabulary.encode("aba"), ElementsAre(8, 6, 5));
  EXPECT_THAT(vocabulary.encode("a xy b"), ElementsAre(8, 4, 3, 4, 6));
  EXPECT_EQ(vocabulary.decode({8, 6, 8}), "ab a");
  EXPECT_EQ(vocabulary.size(), 11);
  EXPECT_THAT(vocabulary.languages(), ElementsAre("de_DE"));
  EXPECT_EQ(vocabulary.find("<mask>"), 10);
}

TEST(TokenizerJson, BytePairsAreMergedInOrder) {
  const Vocabulary vocabulary = fairseq(bpe());
  EXPECT_THAT(vocabulary.encode("ab a b"), ElementsAre(6, 5, 7, 9));
  EXPECT_THAT(vocabulary.encode("aab"), ElementsAre(5, 4));
  EXPECT_EQ(vocabulary.size(), 12);
}

TEST(TokenizerJson, MergesMayBeTexts) {
  json file = bpe();
  file["model"]["merges"] = {"a b", "\u2581 a", "\u2581 ab", "\u2581a b"};
  EXPECT_THAT(fairseq(file).encode("ab aab"), ElementsAre(6, 5, 4));
}

TEST(TokenizerJson, LanguagesWithoutATokenAreUnknown) {
  json file = bpe();
  file["added_tokens"].erase(4);
  file["added_tokens"][4]["id"] = 10;
  const TokenizerJson read(file.dump(), "tokenizer.json");
  const TokenizerFacts facts{.type = "NllbTokenizer",
                             .added = read.added(),
                             .source_language = "eng_Latn",
                             .target_language = "deu_Latn",
                             .names_all_tokens = true};
  const Vocabulary vocabulary = make_fairseq_vocabulary(read.fairseq_sentencepiece(), facts, 0, read.name());
  EXPECT_THAT(vocabulary.languages(), ElementsAre("deu_Latn", "eng_Latn"));
  const Vocabulary source = vocabulary.for_languages(Side::source, {"eng_Latn", "deu_Latn"});
  EXPECT_THAT(source.encode("ab"), ElementsAre(3, 6));
}

TEST(TokenizerJson, PairsOfBytesAreThoseOfBart) {
  const TokenizerJson read(byte_level().dump(), "tokenizer.json");
  const Vocabulary vocabulary = make_bart_vocabulary(read.merges(), read.words(), 0, read.name());
  EXPECT_THAT(vocabulary.encode("ab ab a"), ElementsAre(7, 8, 6, 4));
  EXPECT_THAT(testing::complaint([&] { std::ignore = read.fairseq_sentencepiece(); }),
              HasSubstr("does not divide text into pieces of SentencePiece"));
  const TokenizerJson other(bpe().dump(), "tokenizer.json");
  EXPECT_THAT(testing::complaint([&] { std::ignore = other.words(); }), HasSubstr("into pairs of bytes"));
}

TEST(TokenizerJson, MergesThatSentencePieceWouldNotMakeAreRefused) {
  json file = bpe();
  file["model"]["merges"].erase(3);
  EXPECT_THAT(testing::complaint([&] { fairseq(file); }), HasSubstr("the merges lack pairs that result in"));
  file = bpe();
  std::swap(file["model"]["merges"][1], file["model"]["merges"][2]);
  EXPECT_THAT(testing::complaint([&] { fairseq(file); }), HasSubstr("are not next to each other"));
}

TEST(TokenizerJson, WhatDividesTextInOtherWaysIsRefusedByName) {
  const auto refusal = [](json file, const json& patch) {
    file.merge_patch(patch);
    return testing::complaint([&] { TokenizerJson(file.dump(), "folder/tokenizer.json"); });
  };
  EXPECT_THAT(
      refusal(bpe(), {{"normalizer", {{"type", "Lowercase"}}}}),
      HasSubstr("'folder/tokenizer.json': its normalizer is 'Lowercase', which nmt does not support"));
  EXPECT_THAT(refusal(bpe(), {{"pre_tokenizer", {{"type", "Whitespace"}}}}), HasSubstr("'Whitespace'"));
  EXPECT_THAT(refusal(bpe(), {{"pre_tokenizer", {{"replacement", "_"}}}}), HasSubstr("'_'"));
  EXPECT_THAT(refusal(bpe(), {{"model", {{"type", "WordPiece"}}}}), HasSubstr("its model is 'WordPiece'"));
  EXPECT_THAT(refusal(bpe(), {{"model", {{"fuse_unk", false}}}}), HasSubstr("fuse_unk"));
  EXPECT_THAT(refusal(bpe(), {{"model", {{"end_of_word_suffix", "</w>"}}}}), HasSubstr("'</w>'"));
  EXPECT_THAT(refusal(byte_level(), {{"pre_tokenizer", {{"add_prefix_space", true}}}}),
              HasSubstr("add_prefix_space"));
}

TEST(TokenizerJson, DamagedFilesAreRefused) {
  const auto refusal = [](const std::string& text) {
    return testing::complaint([&] { fairseq(json::parse(text)); });
  };
  const std::string whole = unigram().dump();
  EXPECT_THAT(testing::complaint([&] { TokenizerJson(whole.substr(0, 200), "x"); }),
              HasSubstr("'x' is not valid JSON at its byte"));
  EXPECT_THAT(testing::complaint([] { TokenizerJson("", "x"); }), HasSubstr("'x' is empty; copy it again"));
  EXPECT_THAT(refusal("[]"), HasSubstr("not as transformers writes it"));
  EXPECT_THAT(refusal("{}"), HasSubstr("not as transformers writes it"));
  json file = unigram();
  file["normalizer"] = {{"type", "Precompiled"}, {"precompiled_charsmap", "ab!="}};
  EXPECT_THAT(refusal(file.dump()), HasSubstr("base64"));
  file["normalizer"]["precompiled_charsmap"] = "AAAAAAAA";
  EXPECT_THAT(refusal(file.dump()), HasSubstr("tokenizer.json"));
  file = unigram();
  file["model"]["vocab"][0][0] = "a";
  EXPECT_THAT(refusal(file.dump()), HasSubstr("does not begin with <s>"));
  file = unigram();
  file["added_tokens"][0]["id"] = -1;
  EXPECT_THAT(refusal(file.dump()),
              HasSubstr("the id of the added token '<s>' is -1, not a whole number from 0 to 9999999"));
  file = unigram();
  file["model"]["vocab"][5][1] = 1e30;
  EXPECT_THAT(refusal(file.dump()), HasSubstr("score"));
}

TEST(TokenizerJson, NumbersThatAreNoIdsAreRefused) {
  const auto refusal = [](const json& file) {
    return testing::complaint([&] { TokenizerJson(file.dump(), "t.json"); });
  };
  const auto no_id = [](const std::string& what, const json& id) {
    return "'t.json': " + what + " is " + id.dump() + ", not a whole number from 0 to 9999999";
  };
  for (const json& id : json::parse(R"([4294968296, 0.5, true, 1e300, -1, "3", null, 10000000])")) {
    json file = unigram();
    file["added_tokens"][4]["id"] = id;
    EXPECT_EQ(refusal(file), no_id("the id of the added token 'de_DE'", id));
    file = bpe();
    file["model"]["vocab"]["ab"] = id;
    EXPECT_EQ(refusal(file), no_id("the id of the word 'ab'", id));
    if (id.is_null()) continue;  // there may be no unknown piece
    file = unigram();
    file["model"]["unk_id"] = id;
    EXPECT_EQ(refusal(file), no_id("unk_id", id));
  }
  json twice = bpe();
  twice["model"]["vocab"]["ab"] = 5;
  EXPECT_EQ(refusal(twice), "'t.json': two words have the id 5");
}

TEST(TokenizerJson, UnknownPiecesOfAnotherNameAreRefused) {
  json file = unigram();
  file["model"]["unk_id"] = 0;
  EXPECT_EQ(testing::complaint([&] { std::ignore = TokenizerJson(file.dump(), "t").sentencepiece(); }),
            "'t': its unknown piece (unk_id 0) is '<s>', but nmt supports only <unk>");
}

TEST(TokenizerJson, TokensThatAreTooLongAreRefused) {
  json file = unigram();
  file["added_tokens"][4]["content"] = "<2" + std::string(100'000, 'x') + ">";
  EXPECT_EQ(testing::complaint([&] { TokenizerJson(file.dump(), "t"); }),
            "'t': an added token has 100003 bytes, more than 4096");
  file = unigram();
  file["model"]["vocab"][5][0] = std::string(150'000, 'a');
  EXPECT_THAT(testing::complaint([&] { fairseq(file); }),
              HasSubstr("a piece has 150000 bytes, more than 4096"));
}

}  // namespace
}  // namespace nmt
