// Tests reading models of the T5 family. Ids are those of the `tokenizers` library 0.23 for the same files.
#include "foreign/huggingface/t5.h"

#include <gmock/gmock.h>

#include <cmath>

#include "common/complaint.h"
#include "foreign/huggingface/huggingface_fixture.h"
#include "foreign/huggingface/made_up_t5.h"
#include "foreign/huggingface/tokenizer_json.h"
#include "foreign/weights_of_file.h"
#include "nn/saved/saved_model.h"

namespace nmt {
namespace {

using nlohmann::json;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsSupersetOf;
using testing::kInner;
using testing::kT5Buckets;
using testing::kT5Heads;
using testing::kT5Rows;
using testing::kWidth;
using testing::MadeUpFolder;
using ::testing::Pair;
using testing::t5_folder;
using testing::t5_tokenizer;
using testing::weight;

class T5Test : public testing::HuggingFaceTest {};

TEST_F(T5Test, SettingsAreThoseOfItsLayers) {
  const ForeignModel model = read(t5_folder());
  EXPECT_THAT(
      model.settings,
      IsSupersetOf({Pair("d_model", "8"), Pair("heads", "3"), Pair("head_size", "2"),
                    Pair("attention_scale", "1"), Pair("positions", "relative"),
                    Pair("relative_buckets", "8"), Pair("relative_distance", "20"), Pair("norm", "pre"),
                    Pair("norm_kind", "rms"), Pair("activation", "relu"), Pair("ffn_gate", "false"),
                    Pair("linear_bias", "false"), Pair("output_bias", "false"), Pair("embedding_scale", "1"),
                    Pair("encoder_layers", "1"), Pair("decoder_layers", "1"), Pair("tied_embeddings", "all"),
                    Pair("decoder_start", "bos"), Pair("target_vocabulary", "14")}));
  EXPECT_EQ(model.vocabularies.target.begin(), 0);
  EXPECT_EQ(model.vocabularies.target.end(), 1);
}

TEST_F(T5Test, NetworksMayHaveGates) {
  MadeUpFolder gated = testing::gated_t5_folder("gated-gelu");
  const ModelFile file = model_with(read(gated), "model");
  EXPECT_EQ(read(gated).settings.at("activation"), "gelu_tanh");
  EXPECT_EQ(weight(file, "decoder.layers.0.linear_gated.weight"),
            gated.tensors["decoder.block.0.layer.2.DenseReluDense.wi_1.weight"].values);
  gated.config["feed_forward_proj"] = "gated-mish";
  EXPECT_THAT(complaint(gated), HasSubstr("feed_forward_proj"));
}

// The output of the decoder is multiplied with d_model^-0.5 where the embedding is the output layer.
TEST_F(T5Test, TheLastGainHasTheFactorOfTheOutput) {
  MadeUpFolder made_up = t5_folder();
  const std::vector<float> gain = made_up.tensors["decoder.final_layer_norm.weight"].values;
  const auto factor = [&] {
    return weight(model_with(read(made_up), "model"), "decoder.norm.weight")[0] / gain[0];
  };
  EXPECT_FLOAT_EQ(factor(), 1 / std::sqrt(8.0F));
  made_up.config["architectures"] = {"MT5ForConditionalGeneration"};
  made_up.config["feed_forward_proj"] = "relu";
  EXPECT_EQ(factor(), 1) << "not in mT5";
  made_up.config["architectures"] = {"T5ForConditionalGeneration"};
  made_up.config["scale_decoder_outputs"] = false;
  EXPECT_EQ(factor(), 1);
  made_up.config.erase("scale_decoder_outputs");
  made_up.config["tie_word_embeddings"] = false;
  made_up.add("lm_head.weight", {kT5Rows, kWidth});
  EXPECT_EQ(factor(), 1);
  EXPECT_EQ(read(made_up).settings.at("tied_embeddings"), "inputs");
}

TEST_F(T5Test, ATensorThatIsMissingOrUnknownIsNamed) {
  MadeUpFolder other = t5_folder();
  other.add("encoder.block.1.layer.0.SelfAttention.relative_attention_bias.weight", {kT5Buckets, kT5Heads});
  EXPECT_THAT(complaint(other), HasSubstr("encoder.block.1.layer.0.SelfAttention.relative_attention_bias"));
  MadeUpFolder incomplete = t5_folder();
  incomplete.tensors.erase("encoder.block.0.layer.0.SelfAttention.relative_attention_bias.weight");
  EXPECT_THAT(complaint(incomplete), HasSubstr("relative_attention_bias"));
}

TEST_F(T5Test, AddedTokensAreFoundBeforePieces) {
  const Vocabulary vocabulary = read(t5_folder()).vocabularies.source;
  EXPECT_THAT(vocabulary.encode("<2de> ab"), ElementsAre(10, 7, 5));
  EXPECT_THAT(vocabulary.encode("<2de>a<extra_id_0>b <2de>"), ElementsAre(10, 7, 11, 8, 10));
  EXPECT_THAT(vocabulary.encode("<2en>"), ElementsAre(3, 2, 9, 2)) << "not an added token";
  EXPECT_EQ(vocabulary.decode({10, 7, 11, 8}), "<2de> a b") << "a sentinel is special";
  EXPECT_EQ(vocabulary.size(), kT5Rows) << "every row is a token";
  EXPECT_THAT(vocabulary.languages(), ElementsAre("de"));
  const Vocabulary german = vocabulary.for_languages(Side::source, {"", "de"});
  EXPECT_THAT(german.encode("ab"), ElementsAre(10, 7, 5));
  EXPECT_THAT(german.encode("<2de> ab"), ElementsAre(10, 7, 5)) << "it tells the language itself";
  for (const char* told : {"ab", "<2de> ab"})
    EXPECT_FALSE(german.lacks_language(german.encode(told))) << told;
  EXPECT_FALSE(vocabulary.lacks_language(vocabulary.encode("<2de> ab")));
  EXPECT_TRUE(vocabulary.lacks_language(vocabulary.encode("ab <2de>")));
}

TEST_F(T5Test, PlacesOfPiecesAreThoseInTheText) {
  const Vocabulary vocabulary = read(t5_folder()).vocabularies.source;
  std::vector<std::pair<int, std::size_t>> found;
  for (const TextPiece& piece : vocabulary.divide("a <2de> bab")) found.emplace_back(piece.id, piece.place);
  EXPECT_THAT(found, ElementsAre(Pair(7, 0), Pair(10, 2), Pair(8, 8), Pair(6, 9)));
}

TEST_F(T5Test, SentinelsFollowThePiecesOfASentencePieceModel) {
  MadeUpFolder folder = t5_folder();
  const TokenizerJson made(t5_tokenizer().dump(), "tokenizer.json");
  folder.files = {{"spiece.model", made.sentencepiece()}};
  folder.tokenizer["extra_ids"] = 3;
  const Vocabulary vocabulary = read(folder).vocabularies.source;
  EXPECT_EQ(vocabulary.find("<extra_id_2>"), 10);
  EXPECT_EQ(vocabulary.find("<extra_id_0>"), 12);
  EXPECT_THAT(vocabulary.encode("a<extra_id_0>"), ElementsAre(7, 12));
}

// Each token costs the same, however many there are: with a quadratic search this takes minutes.
TEST_F(T5Test, ThereMayBeVeryManyAddedTokens) {
  constexpr int kTokens = 50'000;
  MadeUpFolder folder = t5_folder();
  json tokenizer = t5_tokenizer();
  for (int i = 0; i < kTokens; ++i)
    tokenizer["added_tokens"].push_back(
        {{"id", 12 + i}, {"content", fmt::format("<x{}>", i)}, {"special", false}});
  folder.files = {{"tokenizer.json", tokenizer.dump()}};
  folder.add("shared.weight", {12 + kTokens, kWidth});
  const Vocabulary vocabulary = read(folder).vocabularies.source;
  EXPECT_EQ(vocabulary.size(), 12 + kTokens);
  EXPECT_THAT(vocabulary.encode("<x0>a<x49999>"), ElementsAre(12, 7, 11 + kTokens));
}

}  // namespace
}  // namespace nmt
