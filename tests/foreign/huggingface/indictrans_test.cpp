// Tests reading models of IndicTrans2.
#include "foreign/huggingface/indictrans.h"

#include <gmock/gmock.h>

#include "common/complaint.h"
#include "foreign/huggingface/huggingface_fixture.h"
#include "foreign/weights_of_file.h"

namespace nmt {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::indictrans_folder;
using ::testing::IsSupersetOf;
using testing::MadeUpFolder;
using ::testing::Pair;
using testing::weight;

class IndicTransTest : public testing::HuggingFaceTest {};

TEST_F(IndicTransTest, SettingsAreThoseOfItsConfiguration) {
  const ForeignModel model = read(indictrans_folder());
  EXPECT_THAT(
      model.settings,
      IsSupersetOf({Pair("norm", "pre"), Pair("final_norm", "auto"), Pair("embedding_norm", "true"),
                    Pair("positions", "tensor2tensor"), Pair("position_offset", "2"),
                    Pair("embedding_scale", "sqrt"), Pair("tied_embeddings", "target"),
                    Pair("output_bias", "false"), Pair("decoder_start", "eos"), Pair("activation", "gelu")}));
  EXPECT_EQ(model.trained_length, 31);
  MadeUpFolder post = indictrans_folder();
  post.tensors.clear();
  for (const char* key : {"encoder_normalize_before", "decoder_normalize_before", "layernorm_embedding",
                          "share_decoder_input_output_embed"})
    post.config[key] = false;
  for (const char* table : {"model.encoder.embed_tokens.weight", "model.decoder.embed_tokens.weight"})
    post.tensors[table] = indictrans_folder().tensors[table];
  post.add("lm_head.weight", post.tensors["model.decoder.embed_tokens.weight"].shape);
  testing::add_layers(post, false, false);
  const ForeignModel other = read(post);
  EXPECT_THAT(other.settings, IsSupersetOf({Pair("norm", "post"), Pair("embedding_norm", "false"),
                                            Pair("tied_embeddings", "none")}));
  EXPECT_EQ(weight(model_with(other, "model"), "output.weight"), post.tensors["lm_head.weight"].values);
}

TEST_F(IndicTransTest, ATextBeginsWithItsLanguages) {
  const MadeUpFolder made_up = indictrans_folder();
  const Vocabularies vocabularies = read(made_up).vocabularies;
  const auto ids = nlohmann::json::parse(made_up.files.at("dict.SRC.json"));
  const Vocabulary& pieces = testing::small_pieces();
  const std::string text = "ab cd";
  std::vector<int> expected = {ids["hin_Deva"], ids["eng_Latn"]};
  std::vector<int> translation;
  for (const int id : pieces.encode(text)) translation.push_back(ids[pieces.piece(id)]);
  expected.insert(expected.end(), translation.begin(), translation.end());
  EXPECT_EQ(vocabularies.source.encode("hin_Deva eng_Latn " + text), expected);
  EXPECT_THAT(vocabularies.source.encode("hin_Deva eng_Latn"), ElementsAre(expected[0], expected[1]));
  EXPECT_THAT(vocabularies.source.encode(""), ElementsAre());
  EXPECT_EQ(vocabularies.target.encode(text), translation);
  EXPECT_EQ(vocabularies.target.decode(translation), text);
}

TEST_F(IndicTransTest, OtherTextIsRefused) {
  const Vocabularies vocabularies = read(indictrans_folder()).vocabularies;
  for (const std::string text : {"ab", "hin_Deva", "hin_Deva ab", "hin_Devaeng_Latn ab",
                                 " hin_Deva eng_Latn ab", "hin_Deva  eng_Latn ab", "hin_Deva eng_Latnab"}) {
    EXPECT_THAT(testing::complaint([&] { vocabularies.source.encode(text); }),
                HasSubstr("IndicProcessor.preprocess_batch()"))
        << text;
  }
  EXPECT_THAT(testing::complaint([&] { vocabularies.source.encode("hin_Deva deu_Latn ab"); }),
              HasSubstr("'deu_Latn' is not the language"));
}

TEST_F(IndicTransTest, WhatIsMissingOrDiffersIsNamed) {
  for (const char* file : {"dict.SRC.json", "dict.TGT.json", "model.SRC", "model.TGT"}) {
    MadeUpFolder without = indictrans_folder();
    without.files.erase(file);
    EXPECT_THAT(complaint(without), HasSubstr(std::string("fetch ") + file));
    MadeUpFolder damaged = indictrans_folder();
    damaged.files[file].resize(damaged.files[file].size() / 2);
    EXPECT_THAT(complaint(damaged), HasSubstr(file));
  }
  MadeUpFolder other = indictrans_folder();
  other.config["decoder_embed_dim"] = 2 * testing::kWidth;
  EXPECT_THAT(complaint(other), HasSubstr("decoder_embed_dim is 16, different from that of the encoder"));
  other = indictrans_folder();
  other.config["decoder_normalize_before"] = false;
  EXPECT_THAT(complaint(other), HasSubstr("decoder_normalize_before is false, different"));
}

}  // namespace
}  // namespace nmt
