// Settings as text: the YAML they stand in, and typed access with complaints that name the setting.
#include "nn/settings.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/complaint.h"
#include "nn/transformer/transformer_config.h"

namespace nmt {
namespace {

using ::testing::AllOf;
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

TEST(Settings, OfDecodingStandBesideThoseOfTheModel) {
  const DecodingSettings settings = {{"beam", "12"}, {"suppress", "3 4 5"}, {"unk", "false"}};
  const std::string yaml = write_decoding_settings(settings);
  EXPECT_EQ(yaml, "decoding:\n  beam: 12\n  suppress: 3 4 5\n  unk: false\n");
  const std::string config = write_model_settings({{"type", "transformer"}}) + yaml;
  EXPECT_EQ(read_decoding_settings(config, "x"), settings);
  EXPECT_EQ(read_model_settings(config, "x"), (ModelSettings{{"type", "transformer"}}));
  EXPECT_EQ(write_decoding_settings({}), "");
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

  /// What is said of the settings with this one changed; "" when nothing.
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
  EXPECT_EQ(config.d_ff, 2048);
  EXPECT_EQ(config.heads, 8);
  EXPECT_EQ(config.encoder_layers, 6);
  EXPECT_EQ(config.decoder_layers, 6);
  EXPECT_FALSE(config.pre_norm);
  EXPECT_EQ(config.activation, Activation::relu);
  EXPECT_EQ(config.tying, Tying::all);
  EXPECT_EQ(config.positions, Positions::sinusoidal);
  EXPECT_EQ(config.decoder_start, DecoderStart::bos);
  EXPECT_EQ(config.layer_norm_epsilon, 1e-6);
}

TEST_F(TransformerConfigTest, TheOtherChoices) {
  for (const auto& [name, value] : ModelSettings{{"norm", "pre"},
                                                 {"activation", "gelu"},
                                                 {"tied_embeddings", "target"},
                                                 {"positions", "learned"},
                                                 {"decoder_start", "zero"}}) {
    settings_[name] = value;
  }
  const TransformerConfig config(settings_);
  EXPECT_TRUE(config.pre_norm);
  EXPECT_EQ(config.activation, Activation::gelu);
  EXPECT_EQ(config.tying, Tying::target);
  EXPECT_EQ(config.positions, Positions::learned);
  EXPECT_EQ(config.decoder_start, DecoderStart::zero);
  settings_["tied_embeddings"] = "none";
  EXPECT_EQ(TransformerConfig(settings_).tying, Tying::none);
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
                           "source_vocabulary", "target_vocabulary"}) {
    EXPECT_THAT(changed(name, "0"), StartsWith(name));
  }
}

TEST_F(TransformerConfigTest, HeadsMustDivideTheWidth) {
  EXPECT_EQ(changed("heads", "16"), "");
  EXPECT_THAT(changed("heads", "7"), HasSubstr("d_model 512 is not divisible by heads 7"));
  EXPECT_THAT(changed("heads", "1024"), HasSubstr("not divisible"));
}

TEST_F(TransformerConfigTest, OneMatrixNeedsOneVocabulary) {
  EXPECT_THAT(changed("source_vocabulary", "101"),
              AllOf(HasSubstr("tied_embeddings 'all'"), HasSubstr("101"), HasSubstr("100")));
  for (const char* tied : {"target", "none"}) {
    settings_["tied_embeddings"] = tied;
    EXPECT_EQ(changed("source_vocabulary", "101"), "");
  }
}

}  // namespace
}  // namespace nmt
