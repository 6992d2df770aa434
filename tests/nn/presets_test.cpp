// The presets against the paper, "Attention Is All You Need": Table 3 and section 5, and every weight
// counted.
#include "nn/presets.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <tuple>

namespace nmt {
namespace {

using ::testing::IsSupersetOf;
using ::testing::Pair;
using ::testing::UnorderedElementsAre;

/// The settings of the preset's model over vocabularies of this size, completed by the defaults.
ModelSettings completed(const std::string& preset, const std::string& vocabulary) {
  const ModelRegistry& registry = ModelRegistry::instance();
  ModelSettings settings = registry.preset(preset).model;
  settings["source_vocabulary"] = settings["target_vocabulary"] = vocabulary;
  return registry.complete(settings);
}

std::int64_t weights(const std::string& preset, const std::string& vocabulary) {
  return ModelRegistry::instance().make(completed(preset, vocabulary))->parameters().count();
}

const Preset& preset(const std::string& name) {
  return ModelRegistry::instance().preset(name);
}

TEST(Presets, BaseIsTheFirstRowOfTable3) {
  EXPECT_THAT(
      completed("transformer-base", "37000"),
      UnorderedElementsAre(
          Pair("type", "transformer"), Pair("encoder_layers", "6"), Pair("decoder_layers", "6"),
          Pair("d_model", "512"), Pair("d_ff", "2048"), Pair("heads", "8"), Pair("norm", "post"),
          Pair("norm_kind", "layer"), Pair("activation", "relu"), Pair("tied_embeddings", "all"),
          Pair("positions", "sinusoidal"), Pair("decoder_start", "bos"), Pair("max_positions", "1024"),
          Pair("layer_norm_epsilon", "1e-06"), Pair("source_vocabulary", "37000"),
          Pair("target_vocabulary", "37000"), Pair("decoder_d_ff", "0"), Pair("ffn_layers", "2"),
          Pair("decoder_ffn_layers", "0"), Pair("tied_decoder_layers", "none"), Pair("final_norm", "auto"),
          Pair("embedding_norm", "false"), Pair("output_bias", "true"), Pair("embedding_scale", "sqrt"),
          Pair("position_offset", "0"), Pair("source_special_tokens", "eos"),
          Pair("source_direction", "left-to-right"), Pair("target_direction", "left-to-right"),
          Pair("decoder_layer", "attention"), Pair("average_d_ff", "0"), Pair("average_ffn_layers", "2"),
          Pair("average_gate", "true"), Pair("ssru_projection", "false"), Pair("ffn_gate", "false"),
          Pair("linear_bias", "true"), Pair("head_size", "0"), Pair("kv_heads", "0"),
          Pair("attention_scale", "inverse_sqrt"), Pair("relative_buckets", "32"),
          Pair("relative_distance", "128"), Pair("max_relative_positions", "16")));
  EXPECT_THAT(
      preset("transformer-base").training,
      UnorderedElementsAre(Pair("dropout", "0.1"), Pair("attention_dropout", "0.1"),
                           Pair("activation_dropout", "0.1"), Pair("label_smoothing", "0.1"),
                           Pair("warmup", "4000"), Pair("batch_tokens", "25000"), Pair("steps", "100000")));
}

TEST(Presets, BigIsTheLastRowOfTable3) {
  EXPECT_THAT(
      completed("transformer-big", "37000"),
      UnorderedElementsAre(
          Pair("type", "transformer"), Pair("encoder_layers", "6"), Pair("decoder_layers", "6"),
          Pair("d_model", "1024"), Pair("d_ff", "4096"), Pair("heads", "16"), Pair("norm", "post"),
          Pair("norm_kind", "layer"), Pair("activation", "relu"), Pair("tied_embeddings", "all"),
          Pair("positions", "sinusoidal"), Pair("decoder_start", "bos"), Pair("max_positions", "1024"),
          Pair("layer_norm_epsilon", "1e-06"), Pair("source_vocabulary", "37000"),
          Pair("target_vocabulary", "37000"), Pair("decoder_d_ff", "0"), Pair("ffn_layers", "2"),
          Pair("decoder_ffn_layers", "0"), Pair("tied_decoder_layers", "none"), Pair("final_norm", "auto"),
          Pair("embedding_norm", "false"), Pair("output_bias", "true"), Pair("embedding_scale", "sqrt"),
          Pair("position_offset", "0"), Pair("source_special_tokens", "eos"),
          Pair("source_direction", "left-to-right"), Pair("target_direction", "left-to-right"),
          Pair("decoder_layer", "attention"), Pair("average_d_ff", "0"), Pair("average_ffn_layers", "2"),
          Pair("average_gate", "true"), Pair("ssru_projection", "false"), Pair("ffn_gate", "false"),
          Pair("linear_bias", "true"), Pair("head_size", "0"), Pair("kv_heads", "0"),
          Pair("attention_scale", "inverse_sqrt"), Pair("relative_buckets", "32"),
          Pair("relative_distance", "128"), Pair("max_relative_positions", "16")));
  EXPECT_THAT(
      preset("transformer-big").training,
      UnorderedElementsAre(Pair("dropout", "0.3"), Pair("attention_dropout", "0.3"),
                           Pair("activation_dropout", "0.3"), Pair("label_smoothing", "0.1"),
                           Pair("warmup", "4000"), Pair("batch_tokens", "25000"), Pair("steps", "300000")));
}

TEST(Presets, TinyAndSmallAreForSmallData) {
  EXPECT_THAT(preset("transformer-tiny").model,
              IsSupersetOf({Pair("encoder_layers", "2"), Pair("decoder_layers", "2"), Pair("d_model", "128"),
                            Pair("d_ff", "512"), Pair("heads", "4")}));
  EXPECT_THAT(preset("transformer-small").model,
              IsSupersetOf({Pair("encoder_layers", "3"), Pair("decoder_layers", "3"), Pair("d_model", "256"),
                            Pair("d_ff", "1024"), Pair("heads", "4")}));
}

TEST(Presets, ModernOnesDifferInTheirLayers) {
  for (const auto& [name, d_ff] :
       {std::pair{"transformer-small", "688"}, std::pair{"transformer-base", "1376"}}) {
    const std::string modern = std::string(name) + "-modern";
    ModelSettings expected = completed(name, "8000");
    for (const auto& [setting, value] : ModelSettings{{"d_ff", d_ff},
                                                      {"norm", "pre"},
                                                      {"norm_kind", "rms"},
                                                      {"ffn_gate", "true"},
                                                      {"activation", "swish"},
                                                      {"positions", "rotary"},
                                                      {"linear_bias", "false"},
                                                      {"output_bias", "false"}})
      expected[setting] = value;
    EXPECT_EQ(completed(modern, "8000"), expected);
    EXPECT_EQ(preset(modern).training, preset(name).training);
    EXPECT_NEAR(static_cast<double>(weights(modern, "8000")) / static_cast<double>(weights(name, "8000")), 1,
                0.01);
  }
}

TEST(Presets, StudentsHaveAFastDecoder) {
  for (const auto& [name, d_model, d_ff] :
       {std::tuple{"student-tiny", "256", "1536"}, std::tuple{"student-base", "512", "2048"}}) {
    EXPECT_THAT(preset(name).model, IsSupersetOf({Pair("encoder_layers", "6"), Pair("decoder_layers", "2"),
                                                  Pair("decoder_layer", "ssru"), Pair("d_model", d_model),
                                                  Pair("d_ff", d_ff), Pair("heads", "8")}));
  }
}

// By hand: V d for the tied matrix and V for the output bias. An attention has 4 d^2 + 4 d weights, a
// feed-forward network 2 d d_ff + d_ff + d, a layer normalization 2 d.
TEST(Presets, EveryWeightIsCounted) {
  EXPECT_EQ(weights("transformer-base", "37000"), 63'119'496);
  EXPECT_EQ(weights("transformer-big", "37000"), 214'282'376);
  EXPECT_EQ(weights("transformer-tiny", "8000"),
            8000 * 129 + 2 * (66'048 + 131'712 + 512) + 2 * (132'096 + 131'712 + 768) + 512);
  // By hand, without biases: three matrices of a gated network, and gains alone.
  EXPECT_EQ(weights("transformer-small-modern", "8000"),
            8000 * 256 + 3 * (262'144 + 528'384 + 512) + 3 * (524'288 + 528'384 + 768) + 512);
  // An SSRU has two matrices and a bias.
  EXPECT_EQ(weights("student-tiny", "32000"),
            32'000 * 257 + 6 * (263'168 + 788'224 + 1'024) + 2 * (131'328 + 263'168 + 788'224 + 1'536));
}

// By hand, with e embeddings, h states and c = 2h: a GRU of input i has 3h (i + h + 1) weights. The alignment
// model has h c + c c + 2c, the start c h + h, and the deep output e (e + h + c + 3).
TEST(Presets, EveryWeightOfARecurrentModelIsCounted) {
  const auto gru = [](std::int64_t h, std::int64_t in) { return 3 * h * (in + h + 1); };
  const std::int64_t e = 512, h = 1024, c = 2048, v = 30000;
  EXPECT_EQ(weights("rnn", "30000"), v * (e + 1) + 2 * gru(h, e) + gru(h, e) + gru(h, c) + h * c + c * c +
                                         2 * c + c * h + h + e * (e + h + c + 3));
}

TEST(Presets, TrainingSettingsHaveTheNamesOfTheCommandLine) {
  const std::set<std::string> known = {
      "dropout",    "attention_dropout", "activation_dropout", "label_smoothing",
      "warmup",     "batch_tokens",      "clip_norm",          "steps",
      "valid_beam", "best_by",           "early_stopping",     "learning_rate",
      "save_every", "valid_every"};
  for (const Preset& p : ModelRegistry::instance().presets()) {
    EXPECT_NE(p.summary, "");
    for (const auto& [name, value] : p.training) EXPECT_TRUE(known.contains(name)) << p.name << ": " << name;
  }
}

}  // namespace
}  // namespace nmt
