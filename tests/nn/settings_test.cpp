// Settings as text: their YAML, and typed access with errors that name the setting.
#include "nn/settings.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "common/complaint.h"
#include "nn/recurrent/recurrent_config.h"
#include "nn/registry.h"
#include "nn/transformer/language_model.h"
#include "nn/transformer/transformer_config.h"

namespace nmt {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Pair;
using ::testing::StartsWith;
using ::testing::UnorderedElementsAre;

TEST(Settings, RoundTripThroughYaml) {
  const ModelSettings settings = {
      {"d_model", "512"}, {"type", "transformer"}, {"layer_norm_epsilon", "1e-06"}};
  const std::string yaml = write_model_settings(settings);
  EXPECT_EQ(yaml, "model:\n  type: transformer\n  d_model: 512\n  layer_norm_epsilon: 1e-06\n");
  EXPECT_EQ(read_model_settings(yaml, "x"), settings);
}

TEST(Settings, OtherSectionsAreLeftAlone) {
  EXPECT_THAT(read_model_settings("seed: 1\nmodel: {norm: 'pre', heads: 8}\nlist: [1, 2]\n", "x"),
              UnorderedElementsAre(Pair("norm", "pre"), Pair("heads", "8")));
}

TEST(Settings, YamlOfAnotherFormIsAnErrorWithItsPlace) {
  for (const char* yaml :
       {"", "seed: 1\n", "model:\n", "model: 3\n", "model: [a]\n", "model:\n  heads: [8]\n",
        "model:\n  heads: {a: b}\n", "model:\n  heads:\n", "- model\n", "text", "model: {heads: 8", "a: b: c",
        "model:\n  [1, 2]: 3\n", "\x01"}) {
    SCOPED_TRACE(yaml);
    const std::string message =
        testing::complaint<Error>([&] { static_cast<void>(read_model_settings(yaml, "run/config.yml")); });
    EXPECT_THAT(message, StartsWith("run/config.yml: "));
    EXPECT_EQ(message.find('\n'), std::string::npos);
  }
}

TEST(Settings, YamlThatIsNoMappingIsCalledThat) {
  for (const char* yaml : {"text", "- model\n"}) {
    EXPECT_EQ(testing::complaint<Error>([&] { read_model_settings(yaml, "m"); }),
              "m: the configuration is not a YAML mapping");
  }
}

TEST(Settings, OfDecodingStandBesideThoseOfTheModel) {
  const DecodingSettings settings = {{"beam", "12"}, {"suppress", "3 4 5"}, {"unk", "false"}};
  const std::string yaml = write_decoding_settings(settings);
  EXPECT_EQ(yaml, "decoding:\n  beam: 12\n  suppress: 3 4 5\n  unk: false\n");
  const std::string config = write_model_settings({{"type", "transformer"}}) + yaml;
  EXPECT_EQ(read_decoding_settings(config, "x"), settings);
  EXPECT_EQ(read_model_settings(config, "x"), (ModelSettings{{"type", "transformer"}}));
  EXPECT_EQ(write_decoding_settings({}), "");
  const DecodingSettings odd = {{"a", "null"}, {"b", "-"},    {"c", "[x]"},
                                {"d", "&q"},   {"e", "x: y"}, {"f", "~"}};
  EXPECT_EQ(read_decoding_settings(write_decoding_settings(odd), "odd"), odd);
  EXPECT_TRUE(read_decoding_settings("model: {heads: 8}\n", "x").empty());
}

TEST(Settings, OfDecodingThatAreNoPlainValuesAreAnError) {
  for (const char* yaml : {"decoding:\n", "decoding: 3\n", "decoding: [beam]\n", "decoding:\n  beam: [8]\n",
                           "decoding:\n  beam: {a: b}\n", "decoding:\n  beam:\n", "text"}) {
    EXPECT_THAT(testing::complaint<Error>([&] { read_decoding_settings(yaml, "m"); }), StartsWith("m: "))
        << yaml;
  }
}

std::string integer_complaint(const std::string& text) {
  return testing::complaint<UsageError>([&] { integer_setting({{"heads", text}}, "heads", 1, 64); });
}

std::string real_complaint(const std::string& text) {
  return testing::complaint<UsageError>([&] { real_setting({{"dropout", text}}, "dropout", 0, 1); });
}

TEST(Settings, Integers) {
  EXPECT_EQ(integer_setting({{"heads", "64"}}, "heads", 1, 64), 64);
  EXPECT_EQ(integer_setting({{"n", "-3"}}, "n", -5, 5), -3);
  for (const char* text :
       {"0", "65", "-1", "99999999999999999999", "", " 8", "8 ", "8.0", "8e1", "0x8", "+8", "eight", "nan"}) {
    EXPECT_EQ(integer_complaint(text),
              "heads '" + std::string(text) + "' is not a whole number from 1 to 64");
  }
  EXPECT_THAT(testing::complaint<UsageError>([] { integer_setting({}, "heads", 1, 64); }),
              AllOf(HasSubstr("'heads'"), HasSubstr("missing")));
}

TEST(Settings, Reals) {
  EXPECT_EQ(real_setting({{"dropout", "0.25"}}, "dropout", 0, 1), 0.25);
  EXPECT_EQ(real_setting({{"dropout", "1e-06"}}, "dropout", 0, 1), 1e-6);
  EXPECT_EQ(real_setting({{"dropout", "1"}}, "dropout", 0, 1), 1);
  for (const char* text : {"-0.1", "1.1", "nan", "-nan", "inf", "1e999", "", ".", "0,5", "0.5x", "half"}) {
    EXPECT_EQ(real_complaint(text), "dropout '" + std::string(text) + "' is not a number from 0 to 1");
  }
}

TEST(Settings, Choices) {
  EXPECT_EQ(choice_setting({{"norm", "pre"}}, "norm", {"post", "pre"}), "pre");
  for (const char* text : {"", "Pre", "pre ", "both"}) {
    EXPECT_EQ(testing::complaint<UsageError>([&] {
                choice_setting({{"norm", text}}, "norm", {"post", "pre"});
              }),
              "norm '" + std::string(text) + "' is not one of post, pre");
  }
}

class TransformerConfigTest : public ::testing::Test {
 protected:
  TransformerConfigTest() {
    for (const ModelKey& key : transformer_keys()) settings_[key.name] = key.value;
    settings_["source_vocabulary"] = settings_["target_vocabulary"] = "100";
  }

  /// Returns the error about the settings after this one is changed; "" if there is none.
  std::string changed(const std::string& name, const std::string& value) const {
    ModelSettings settings = settings_;
    settings[name] = value;
    return testing::complaint<UsageError>([&] { const TransformerConfig config(settings); });
  }

  ModelSettings settings_;
};

TEST_F(TransformerConfigTest, DefaultsAreThePapersBaseModel) {
  const TransformerConfig config(settings_);
  EXPECT_EQ(config.d_model, 512);
  EXPECT_EQ(config.encoder_feed_forward, (FeedForwardSize{2, 2048}));
  EXPECT_EQ(config.decoder_feed_forward, config.encoder_feed_forward);
  EXPECT_EQ(config.decoder_layer, DecoderLayerKind::attention);
  EXPECT_EQ(config.heads, 8);
  EXPECT_EQ(config.encoder_layers, 6);
  EXPECT_EQ(config.decoder_layers, 6);
  EXPECT_THAT(config.decoder_sets, ElementsAre(0, 1, 2, 3, 4, 5));
  EXPECT_EQ(config.norm, Norm::post);
  EXPECT_FALSE(config.final_norm);
  EXPECT_FALSE(config.embedding_norm);
  EXPECT_EQ(config.activation, Activation::relu);
  EXPECT_EQ(config.tying, Tying::all);
  EXPECT_TRUE(config.output_bias);
  EXPECT_EQ(config.embedding_scale, std::sqrt(512.0));
  EXPECT_EQ(config.positions, Positions::sinusoidal);
  EXPECT_EQ(config.position_offset, 0);
  EXPECT_EQ(config.decoder_start, DecoderStart::bos);
  EXPECT_EQ(config.layer_norm_epsilon, 1e-6);
}

TEST_F(TransformerConfigTest, TheOtherChoices) {
  for (const auto& [name, value] : ModelSettings{{"norm", "pre"},
                                                 {"embedding_norm", "true"},
                                                 {"activation", "gelu"},
                                                 {"tied_embeddings", "target"},
                                                 {"output_bias", "false"},
                                                 {"embedding_scale", "1.5"},
                                                 {"positions", "learned"},
                                                 {"position_offset", "2"},
                                                 {"decoder_start", "zero"},
                                                 {"ffn_layers", "3"},
                                                 {"decoder_ffn_layers", "1"},
                                                 {"decoder_d_ff", "1024"},
                                                 {"tied_decoder_layers", "1 1 2 2 6 1"}}) {
    settings_[name] = value;
  }
  const TransformerConfig config(settings_);
  EXPECT_EQ(config.norm, Norm::pre);
  EXPECT_TRUE(config.embedding_norm);
  EXPECT_EQ(config.activation, Activation::gelu);
  EXPECT_EQ(config.tying, Tying::target);
  EXPECT_FALSE(config.output_bias);
  EXPECT_EQ(config.embedding_scale, 1.5);
  EXPECT_EQ(config.positions, Positions::learned);
  EXPECT_EQ(config.position_offset, 2);
  EXPECT_EQ(config.decoder_start, DecoderStart::zero);
  EXPECT_EQ(config.encoder_feed_forward, (FeedForwardSize{3, 2048}));
  EXPECT_EQ(config.decoder_feed_forward, (FeedForwardSize{1, 1024}));
  EXPECT_THAT(config.decoder_sets, ElementsAre(0, 0, 1, 1, 5, 0));
}

TEST_F(TransformerConfigTest, ChoicesMeanWhatTheySay) {
  const auto with = [this](const std::string& name, const std::string& value) {
    ModelSettings settings = settings_;
    settings[name] = value;
    return TransformerConfig(settings);
  };
  EXPECT_EQ(with("norm", "both").norm, Norm::both);
  EXPECT_EQ(with("norm", "none").norm, Norm::none);
  EXPECT_EQ(with("activation", "gelu_tanh").activation, Activation::gelu_tanh);
  EXPECT_EQ(with("activation", "gelu_sigmoid").activation, Activation::gelu_sigmoid);
  EXPECT_EQ(with("activation", "swish").activation, Activation::swish);
  EXPECT_EQ(with("tied_embeddings", "inputs").tying, Tying::inputs);
  EXPECT_EQ(with("tied_embeddings", "none").tying, Tying::none);
  EXPECT_EQ(with("positions", "sinusoidal_halves").positions, Positions::sinusoidal_halves);
  EXPECT_EQ(with("positions", "tensor2tensor").positions, Positions::tensor2tensor);
  EXPECT_EQ(with("decoder_start", "eos").decoder_start, DecoderStart::eos);
}

TEST_F(TransformerConfigTest, AveragesInPlaceOfAttention) {
  for (const auto& [name, value] :
       ModelSettings{{"average_d_ff", "512"}, {"average_ffn_layers", "3"}, {"average_gate", "false"}}) {
    EXPECT_EQ(changed(name, value),
              name + " is for decoder_layer 'average' alone; leave it out, or choose that");
  }
  settings_["decoder_layer"] = "average";
  const TransformerConfig usual(settings_);
  EXPECT_EQ(usual.decoder_layer, DecoderLayerKind::average);
  EXPECT_TRUE(usual.average_gate);
  EXPECT_EQ(usual.average_feed_forward, (FeedForwardSize{2, 2048}));
  EXPECT_TRUE(usual.has_average_output());
  settings_["average_d_ff"] = "512";
  settings_["average_gate"] = "false";
  const TransformerConfig narrow(settings_);
  EXPECT_FALSE(narrow.average_gate);
  EXPECT_FALSE(narrow.has_average_output());
  settings_["average_d_ff"] = "100";
  settings_["average_ffn_layers"] = "1";
  EXPECT_FALSE(TransformerConfig(settings_).has_average_output()) << "there is no network";
}

TEST_F(TransformerConfigTest, SomeSettingsHaveAnEffectOnlyWithOthers) {
  const auto without_effect = [](const std::vector<ModelKey>& keys, const ModelSettings& settings) {
    std::vector<std::string> names;
    for (const ModelKey& key : keys)
      if (!has_effect(key, settings)) names.push_back(key.name);
    return names;
  };
  using ::testing::ElementsAre;
  EXPECT_THAT(
      without_effect(transformer_keys(), settings_),
      ElementsAre("average_d_ff", "average_ffn_layers", "average_gate", "ssru_projection", "relative_buckets",
                  "relative_distance", "max_relative_positions", "max_positions"));
  settings_["decoder_layer"] = "average";
  settings_["positions"] = "rotary";
  EXPECT_THAT(without_effect(transformer_keys(), settings_),
              ElementsAre("ssru_projection", "relative_buckets", "relative_distance",
                          "max_relative_positions", "position_offset", "max_positions"));
  EXPECT_THAT(without_effect(recurrent_keys(), {{"attention", "dot"}, {"layer_normalization", "false"}}),
              ElementsAre("decoder_base_transition_depth", "layer_norm_epsilon"));
  for (const ModelType& type : ModelRegistry::instance().types()) {
    for (const ModelKey& key : type.keys) {
      const auto& [setting, values] = key.where;
      if (setting.empty() || type.key(setting) == nullptr) continue;
      for (const std::string& value : values)
        EXPECT_THAT(type.key(setting)->choices, ::testing::Contains(value)) << key.name;
    }
  }
}

TEST_F(TransformerConfigTest, ARecurrentUnitInPlaceOfAttention) {
  EXPECT_EQ(changed("ssru_projection", "true"),
            "ssru_projection is for decoder_layer 'ssru' alone; leave it out, or choose that");
  settings_["decoder_layer"] = "ssru";
  EXPECT_EQ(TransformerConfig(settings_).decoder_layer, DecoderLayerKind::ssru);
  EXPECT_FALSE(TransformerConfig(settings_).ssru_projection);
  EXPECT_THAT(changed("average_gate", "false"), HasSubstr("for decoder_layer 'average' alone"));
  settings_["ssru_projection"] = "true";
  EXPECT_TRUE(TransformerConfig(settings_).ssru_projection);
}

TEST_F(TransformerConfigTest, PositionsThatAreNotAddedHaveNoOffset) {
  for (const std::string positions : {"none", "rotary", "shaw", "alibi"}) {
    settings_["positions"] = positions;
    EXPECT_EQ(changed("position_offset", "0"), "");
    EXPECT_EQ(changed("position_offset", "2"),
              "position_offset 2 has no effect with positions '" + positions + "'; leave it out");
  }
}

TEST_F(TransformerConfigTest, RotaryPositionsNeedPairsInAHead) {
  settings_["d_model"] = "18";
  settings_["heads"] = "3";
  EXPECT_EQ(changed("positions", "rotary"), "");
  settings_["heads"] = "6";
  EXPECT_EQ(changed("positions", "rotary"),
            "positions 'rotary' needs heads of an even width (d_model / heads), not 3");
}

TEST_F(TransformerConfigTest, GroupsOfHeadsShareKeys) {
  settings_["d_model"] = "24";
  settings_["heads"] = "6";
  EXPECT_EQ(TransformerConfig(settings_).kv_heads, 6);
  EXPECT_EQ(TransformerConfig(settings_).attention_parts(), 3);
  EXPECT_EQ(changed("kv_heads", "4"), "kv_heads 4 does not divide heads 6; choose a divisor");
  EXPECT_THAT(changed("kv_heads", "12"), HasSubstr("kv_heads '12' is not"));
  settings_["kv_heads"] = "2";
  EXPECT_EQ(TransformerConfig(settings_).key_width(), 8);
  EXPECT_EQ(TransformerConfig(settings_).attention_parts(), 5);
  EXPECT_EQ(without_auto(settings_).at("kv_heads"), "2");
  settings_["kv_heads"] = "6";
  EXPECT_EQ(without_auto(settings_).at("kv_heads"), "0") << "as usual";
}

TEST_F(TransformerConfigTest, PositionsOfAttentionInALanguageModelNeedAttention) {
  settings_["positions"] = "rotary";
  settings_["tied_embeddings"] = "target";
  EXPECT_EQ(language_model_config(settings_).positions, Positions::rotary);
  settings_["decoder_layer"] = "ssru";
  EXPECT_EQ(TransformerConfig(settings_).positions, Positions::rotary) << "in the encoder";
  EXPECT_EQ(testing::complaint([&] { language_model_config(settings_); }),
            "positions 'rotary' needs decoder_layer 'attention', not 'ssru'");
  for (const std::string positions : {"alibi", "shaw"}) {
    settings_["positions"] = positions;
    EXPECT_EQ(testing::complaint([&] { TransformerConfig config(settings_); }), "");
    EXPECT_EQ(testing::complaint([&] { language_model_config(settings_); }),
              "positions '" + positions + "' needs decoder_layer 'attention', not 'ssru'");
  }
}

TEST_F(TransformerConfigTest, AKindOfNormalizationNeedsANormalization) {
  settings_["norm_kind"] = "rms";
  EXPECT_EQ(changed("norm", "post"), "");
  EXPECT_EQ(changed("norm", "none"), "norm_kind 'rms' has no effect with norm 'none'; leave it out");
  settings_["norm"] = "none";
  EXPECT_EQ(changed("final_norm", "true"), "");
  EXPECT_EQ(changed("embedding_norm", "true"), "");
}

TEST_F(TransformerConfigTest, AGateNeedsTwoMatrices) {
  settings_["ffn_gate"] = "true";
  EXPECT_EQ(changed("ffn_layers", "2"), "");
  EXPECT_EQ(changed("ffn_layers", "3"), "ffn_gate needs two matrices: ffn_layers must be 2, not 3");
  EXPECT_EQ(changed("decoder_ffn_layers", "1"),
            "ffn_gate needs two matrices: decoder_ffn_layers must be 2, not 1");
}

TEST_F(TransformerConfigTest, AFinalNormComesWithPreNorm) {
  for (const char* norm : {"post", "pre", "both", "none"}) {
    settings_["norm"] = norm;
    settings_["final_norm"] = "auto";
    EXPECT_EQ(TransformerConfig(settings_).final_norm, std::string(norm) == "pre");
    settings_["final_norm"] = "true";
    EXPECT_TRUE(TransformerConfig(settings_).final_norm);
    settings_["final_norm"] = "false";
    EXPECT_FALSE(TransformerConfig(settings_).final_norm);
  }
}

TEST_F(TransformerConfigTest, EverySettingIsChecked) {
  for (const ModelKey& key : transformer_keys()) {
    for (const char* value : {"", "-1", "nan", "99999999999", "maybe"}) {
      EXPECT_THAT(changed(key.name, value), StartsWith(key.name + " '" + value + "' is not "));
    }
    ModelSettings without = settings_;
    without.erase(key.name);
    EXPECT_THAT(testing::complaint<UsageError>([&] { const TransformerConfig config(without); }),
                HasSubstr("'" + key.name + "' is missing"));
  }
  for (const char* name : {"d_model", "d_ff", "heads", "encoder_layers", "decoder_layers", "max_positions",
                           "source_vocabulary", "target_vocabulary", "ffn_layers", "embedding_scale"}) {
    EXPECT_THAT(changed(name, "0"), StartsWith(name));
  }
}

TEST_F(TransformerConfigTest, HeadsMustDivideTheWidth) {
  EXPECT_EQ(changed("heads", "16"), "");
  EXPECT_THAT(changed("heads", "7"), HasSubstr("d_model 512 is not divisible by heads 7"));
  EXPECT_THAT(changed("heads", "1024"), HasSubstr("not divisible"));
}

TEST_F(TransformerConfigTest, ASetOfWeightsForEachLayerOfTheDecoder) {
  settings_["decoder_layers"] = "4";
  EXPECT_EQ(changed("tied_decoder_layers", "4 4 1 1"), "");
  for (const char* sets : {"1 1 1", "1 1 1 1 1", "1 1 1 5", "0 1 1 1", "1  1 1 1", " 1 1 1 1", "1 1 1 1 ",
                           "1 1 1 x", "1,1,1,1", "1 1 1 1\n", "+1 1 1 1", "1 1 1 01"}) {
    EXPECT_THAT(changed("tied_decoder_layers", sets),
                HasSubstr("is not a number from 1 to 4 for each of the 4 layers of the decoder"))
        << sets;
  }
  EXPECT_THAT(changed("tied_decoder_layers", std::string(401, '1')),
              HasSubstr("401 characters, more than 400"));
}

TEST_F(TransformerConfigTest, PositionsForWhichThereIsNoTable) {
  settings_["heads"] = "1";
  settings_["d_model"] = "5";
  EXPECT_EQ(changed("positions", "learned"), "");
  EXPECT_THAT(changed("positions", "sinusoidal_halves"), HasSubstr("needs an even d_model, not 5"));
  EXPECT_THAT(changed("positions", "tensor2tensor"), HasSubstr("needs an even d_model of at least 4, not 5"));
  settings_["d_model"] = "2";
  EXPECT_EQ(changed("positions", "sinusoidal_halves"), "");
  EXPECT_THAT(changed("positions", "tensor2tensor"), HasSubstr("of at least 4, not 2"));
  EXPECT_EQ(changed("position_offset", "1024"), "");
  settings_["positions"] = "learned";
  EXPECT_EQ(changed("position_offset", "1023"), "");
  EXPECT_THAT(changed("position_offset", "1024"), HasSubstr("must be below max_positions 1024"));
}

TEST_F(TransformerConfigTest, OneMatrixNeedsOneVocabulary) {
  EXPECT_THAT(changed("source_vocabulary", "101"),
              AllOf(HasSubstr("tied_embeddings 'all'"), HasSubstr("101"), HasSubstr("100")));
  settings_["tied_embeddings"] = "inputs";
  EXPECT_THAT(changed("source_vocabulary", "101"), HasSubstr("tied_embeddings 'inputs'"));
  for (const char* tied : {"target", "none"}) {
    settings_["tied_embeddings"] = tied;
    EXPECT_EQ(changed("source_vocabulary", "101"), "");
  }
}

}  // namespace
}  // namespace nmt
