#include "foreign/marian/marian_settings.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/complaint.h"

namespace nmt {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

ModelSettings settings_of(const std::string& yaml) {
  return marian_model_settings({"type: transformer\n" + yaml, "m.npz"});
}

TEST(MarianSettingsTest, WhatMarianLeavesOutIsItsUsual) {
  const ModelSettings settings = settings_of("version: v1.9.0\n");
  EXPECT_EQ(settings.at("norm"), "post");
  EXPECT_EQ(settings.at("activation"), "swish");
  EXPECT_EQ(settings.at("tied_embeddings"), "none");
  EXPECT_EQ(settings.at("positions"), "tensor2tensor");
}

TEST(MarianSettingsTest, OperationsAroundLayers) {
  const auto norm = [](const std::string& pre, const std::string& post) {
    return settings_of("transformer-preprocess: " + pre + "\ntransformer-postprocess: " + post + "\n")
        .at("norm");
  };
  EXPECT_EQ(norm("\"\"", "dan"), "post");
  EXPECT_EQ(norm("d", "an"), "post");
  EXPECT_EQ(norm("n", "da"), "pre");
  EXPECT_EQ(norm("dn", "dan"), "both");
  EXPECT_EQ(norm("\"\"", "a"), "none");
  EXPECT_EQ(norm("r", "dar"), "both");
  for (const std::string post : {"dhn", "n", "dna", "r", "danr"})
    EXPECT_THAT(testing::complaint([&] { norm("\"\"", post); }),
                HasSubstr("transformer-postprocess: " + post));
}

TEST(MarianSettingsTest, OneKindOfNormalizationInAllPlaces) {
  const std::string behind = "transformer-postprocess: dar\n";
  EXPECT_EQ(settings_of("").at("norm_kind"), "layer");
  EXPECT_EQ(settings_of("transformer-postprocess: da\n").at("norm_kind"), "layer");
  EXPECT_EQ(settings_of(behind).at("norm_kind"), "rms");
  const ModelSettings everywhere = settings_of(
      behind +
      "transformer-preprocess: r\ntransformer-postprocess-top: r\ntransformer-postprocess-emb: rd\n");
  EXPECT_EQ(everywhere.at("norm_kind"), "rms");
  EXPECT_EQ(everywhere.at("norm"), "both");
  EXPECT_EQ(everywhere.at("final_norm"), "true");
  EXPECT_EQ(everywhere.at("embedding_norm"), "true");
  EXPECT_THAT(testing::complaint([&] { settings_of(behind + "transformer-postprocess-top: n\n"); }),
              HasSubstr("layer normalization in some places and RMSNorm in others"));
}

TEST(MarianSettingsTest, ATransformerWithoutPositions) {
  const ModelSettings settings = settings_of("transformer-disable-position-embeddings: true\n");
  EXPECT_EQ(settings.at("positions"), "none");
  EXPECT_EQ(settings.at("embedding_scale"), "1");
  EXPECT_EQ(settings_of("").at("embedding_scale"), "sqrt");
}

TEST(MarianSettingsTest, GeluDependsOnTheVersion) {
  const auto activation = [](const std::string& version) {
    return settings_of("transformer-ffn-activation: gelu\nversion: " + version + "\n").at("activation");
  };
  EXPECT_EQ(activation("v1.9.56 4c85b4a"), "gelu_sigmoid");
  EXPECT_EQ(activation("v1.12.0"), "gelu_sigmoid");
  EXPECT_EQ(activation("v1.12.1 65bf82f"), "gelu");
}

TEST(MarianSettingsTest, LayersOfTheDecoder) {
  EXPECT_EQ(settings_of("transformer-decoder-autoreg: self-attention\n").count("decoder_layer"), 0);
  EXPECT_EQ(settings_of("transformer-decoder-autoreg: average-attention\n").at("decoder_layer"), "average");
  const std::string recurrent = "transformer-decoder-autoreg: rnn\ndec-cell: ssru\n";
  EXPECT_EQ(settings_of(recurrent).at("decoder_layer"), "ssru");
  EXPECT_EQ(settings_of(recurrent).at("ssru_projection"), "false");
  EXPECT_EQ(settings_of(recurrent + "transformer-rnn-projection: true\n").at("ssru_projection"), "true");
}

TEST(MarianSettingsTest, RightLeftIsTheDirectionOfBothSides) {
  for (const std::string side : {"source_direction", "target_direction"}) {
    EXPECT_EQ(settings_of("right-left: false\n").count(side), 0);
    EXPECT_EQ(settings_of("right-left: true\n").at(side), "right-to-left");
    EXPECT_EQ(marian_model_settings({"type: s2s\nright-left: true\n", "m.npz"}).at(side), "right-to-left");
  }
}

TEST(MarianSettingsTest, RecurrentModels) {
  const ModelSettings usual = marian_model_settings({"type: amun\n", "m.npz"});
  EXPECT_EQ(usual, (ModelSettings{{"type", "rnn"},
                                  {"cell", "gru"},
                                  {"decoder_cell", "gru"},
                                  {"decoder_start", "zero"},
                                  {"tied_embeddings", "none"},
                                  {"output_bias", "true"},
                                  {"layer_norm_epsilon", "1e-09"}}));
  const ModelSettings deep = marian_model_settings(
      {"type: s2s\ndim-emb: 64\ndim-rnn: 96\nenc-cell: lstm\ndec-cell: gru\nenc-type: alternating\n"
       "enc-depth: 3\nenc-cell-depth: 2\ndec-depth: 4\ndec-cell-base-depth: 5\ndec-cell-high-depth: 6\n"
       "skip: true\nlayer-normalization: true\ntied-embeddings-all: true\n",
       "m.npz"});
  EXPECT_EQ(deep, (ModelSettings{{"type", "rnn"},
                                 {"d_embedding", "64"},
                                 {"d_state", "96"},
                                 {"cell", "lstm"},
                                 {"decoder_cell", "gru"},
                                 {"encoder_directions", "alternating"},
                                 {"encoder_layers", "3"},
                                 {"encoder_transition_depth", "2"},
                                 {"decoder_layers", "4"},
                                 {"decoder_base_transition_depth", "5"},
                                 {"decoder_high_transition_depth", "6"},
                                 {"skip_connections", "true"},
                                 {"layer_normalization", "true"},
                                 {"decoder_start", "zero"},
                                 {"tied_embeddings", "all"},
                                 {"output_bias", "true"},
                                 {"layer_norm_epsilon", "1e-09"}}));
}

TEST(MarianSettingsTest, WhatModelsHereDoNotHave) {
  const auto refused = [](const std::string& yaml) {
    return testing::complaint([&] { marian_model_settings({yaml, "m.npz"}); });
  };
  const std::string recurrent = "type: transformer\ntransformer-decoder-autoreg: rnn\n";
  EXPECT_THAT(refused(recurrent), HasSubstr("another kind than SSRU"));
  EXPECT_THAT(refused(recurrent + "dec-cell: gru\n"), HasSubstr("(dec-cell: gru)"));
  EXPECT_THAT(refused(recurrent + "dec-cell: ssru\nlayer-normalization: true\n"),
              HasSubstr("layer normalization inside its recurrent layers"));
  EXPECT_THAT(refused("type: nematus\n"),
              AllOf(HasSubstr("'m.npz'"), HasSubstr("recurrent"), HasSubstr("nematus")));
  EXPECT_THAT(refused("type: multi-s2s\n"), HasSubstr("layers of another kind (type: multi-s2s)"));
  for (const std::string cell : {"mlstm", "sru", "mgru", "relu"}) {
    EXPECT_THAT(refused("type: s2s\nenc-cell: " + cell + "\n"),
                HasSubstr("cells of another kind (enc-cell: " + cell));
    EXPECT_THAT(refused("type: s2s\ndec-cell: " + cell + "\n"), HasSubstr("dec-cell: " + cell));
  }
  EXPECT_THAT(refused("type: s2s\nenc-type: unidirectional\n"), HasSubstr("enc-type: unidirectional"));
  EXPECT_THAT(refused("type: s2s\ndec-cell-base-depth: 1\n"), HasSubstr("dec-cell-base-depth: 1"));
  EXPECT_THAT(refused("type: s2s\ninput-types: [sequence, class]\n"), HasSubstr("more than one input"));
  EXPECT_THAT(refused("type: transformer\nlemma-dim-emb: 512\n"), HasSubstr("factors"));
  EXPECT_THAT(refused("type: transformer\ntransformer-no-bias: true\n"), HasSubstr("transformer-no-bias"));
  EXPECT_THAT(refused("- a list\n"), HasSubstr("not a YAML mapping"));
  EXPECT_THAT(refused("a: [\n"), HasSubstr("not valid YAML at line 2: "));
  EXPECT_THAT(refused(std::string(100'000, '#')), HasSubstr("100000 bytes"));
}

}  // namespace
}  // namespace nmt
