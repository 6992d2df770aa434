#include "foreign/layer_variants.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "common/complaint.h"
#include "nn/registry.h"
#include "nn/transformer/transformer_config.h"

namespace nmt {
namespace {

using ::testing::Pair;
using ::testing::UnorderedElementsAre;

/// Returns the settings of a small model with one that has this value.
ModelSettings settings_with(const std::string& key, const std::string& value) {
  ModelSettings settings = {{"type", "transformer"},    {"d_model", "16"},         {"heads", "2"},
                            {"encoder_layers", "1"},    {"decoder_layers", "1"},   {"d_ff", "8"},
                            {"source_vocabulary", "9"}, {"target_vocabulary", "9"}};
  if (key == "average_gate") settings["decoder_layer"] = "average";
  if (key == "ssru_projection") settings["decoder_layer"] = "ssru";
  settings[key] = value;
  return ModelRegistry::instance().complete(std::move(settings));
}

std::set<std::string> weights_with(const std::string& key, const std::string& value) {
  std::set<std::string> names;
  const auto model = ModelRegistry::instance().make(settings_with(key, value));
  for (const Parameters::Entry& entry : model->parameters().entries()) names.insert(entry.parameter.name);
  return names;
}

std::vector<std::string> choices_of(const std::string& key) {
  std::vector<std::string> choices = std::ranges::find(transformer_keys(), key, &ModelKey::name)->choices;
  std::erase(choices, "auto");
  return choices;
}

TEST(LayerVariantsTest, EveryChoiceHasItsRow) {
  for (const VariantSetting& setting : layer_variants()) {
    for (const std::string& choice : choices_of(setting.key)) {
      const bool is_there = std::ranges::any_of(setting.variants, [&](const LayerVariant& variant) {
        return variant.value == choice || variant.value == "*";
      });
      EXPECT_TRUE(is_there) << setting.key << " " << choice;
    }
  }
}

TEST(LayerVariantsTest, WeightsOfAVariantAreThose) {
  for (const VariantSetting& setting : layer_variants()) {
    const auto is_any = [](const LayerVariant& variant) { return variant.value == "*"; };
    if (std::ranges::any_of(setting.variants, is_any)) continue;
    for (const LayerVariant& variant : setting.variants) {
      const std::set<std::string> own = weights_with(setting.key, variant.value);
      const bool all_have_them = std::ranges::all_of(setting.variants, [&](const LayerVariant& other) {
        return std::ranges::includes(weights_with(setting.key, other.value), own);
      });
      EXPECT_EQ(variant.has_weights, !all_have_them) << setting.key << " " << variant.value;
    }
  }
}

TEST(LayerVariantsTest, NamesAreReadAndWritten) {
  EXPECT_EQ(name_there(Toolkit::huggingface, "activation", "gelu_tanh"), "gelu_new");
  EXPECT_EQ(value_here(Toolkit::huggingface, "activation", "gelu_fast"), "gelu_tanh");
  EXPECT_EQ(value_here(Toolkit::marian, "activation", "tanh"), std::nullopt);
  EXPECT_THAT(names_there(Toolkit::marian, "activation"), ::testing::ElementsAre("relu", "gelu", "swish"));
  EXPECT_THAT(values_here(Toolkit::huggingface, "model_type", "bart"),
              UnorderedElementsAre(
                  Pair("norm", "post"), Pair("embedding_norm", "true"), Pair("final_norm", "false"),
                  Pair("positions", "learned"), Pair("position_offset", "2"), Pair("tied_embeddings", "all"),
                  Pair("output_bias", "true"), Pair("norm_kind", "layer"), Pair("ffn_gate", "false"),
                  Pair("linear_bias", "true"), Pair("head_size", "0"),
                  Pair("attention_scale", "inverse_sqrt"), Pair("embedding_scale", "sqrt")));
  EXPECT_EQ(values_of_all(Toolkit::eole).at("norm"), "pre");
  EXPECT_EQ(values_of_all(Toolkit::eole).count("activation"), 0);
}

TEST(LayerVariantsTest, AllThatIsMissingIsNamedAtOnce) {
  const auto complaint = [](Toolkit toolkit, ModelSettings changes) {
    ModelSettings settings = settings_with("decoder_start", "zero");
    changes.merge(settings);
    return testing::complaint([&] { check_variants(toolkit, changes, "m", ""); });
  };
  EXPECT_EQ(complaint(Toolkit::marian, {{"positions", "tensor2tensor"}}), "");
  EXPECT_EQ(complaint(Toolkit::marian, {{"activation", "gelu_tanh"}}),
            "'m' cannot become a model of Marian, for which nmt does not support activation gelu_tanh (only "
            "relu, gelu, gelu_sigmoid, swish), positions sinusoidal (only tensor2tensor, none), but for "
            "huggingface and ctranslate2");
  EXPECT_EQ(complaint(Toolkit::ctranslate2, {{"norm", "none"}, {"positions", "tensor2tensor"}}),
            "'m' cannot become a model of CTranslate2, for which nmt does not support norm none (only post, "
            "pre), but for marian");
  EXPECT_EQ(complaint(Toolkit::ctranslate2, {{"positions", "alibi"}}),
            "'m' cannot become a model of CTranslate2, for which nmt does not support positions alibi (only "
            "sinusoidal_halves, sinusoidal, tensor2tensor, learned, rotary, relative, shaw)");
  EXPECT_EQ(complaint(Toolkit::huggingface, {{"norm", "pre"}, {"position_offset", "2"}}),
            "'m' cannot become a model of Hugging Face transformers, for which nmt does not support "
            "positions sinusoidal, output_bias true where model_type is m2m_100, but for ctranslate2");
  EXPECT_EQ(
      complaint(Toolkit::huggingface, {{"norm", "both"}, {"positions", "sinusoidal"}}),
      "'m' cannot become a model of Hugging Face transformers, for which nmt does not support norm both "
      "(only post, pre)");
}

TEST(LayerVariantsTest, TheKindOfModelThatAllSettingsAllow) {
  const auto kind = [](const std::string& key, const std::string& value) {
    return check_variants(Toolkit::huggingface, settings_with(key, value), "m", "model_type");
  };
  EXPECT_EQ(kind("norm", "post"), "marian");
  ModelSettings mbart = settings_with("norm", "pre");
  for (const auto& [key, value] :
       ModelSettings{{"embedding_norm", "true"}, {"positions", "learned"}, {"position_offset", "2"}})
    mbart[key] = value;
  EXPECT_EQ(check_variants(Toolkit::huggingface, mbart, "m", "model_type"), "mbart");
  ModelSettings t5 = settings_with("norm", "pre");
  for (const auto& [key, value] : ModelSettings{{"norm_kind", "rms"},
                                                {"linear_bias", "false"},
                                                {"output_bias", "false"},
                                                {"positions", "relative"},
                                                {"attention_scale", "1"},
                                                {"embedding_scale", "1"}})
    t5[key] = value;
  EXPECT_EQ(check_variants(Toolkit::huggingface, t5, "m", "model_type"), "t5");
}

}  // namespace
}  // namespace nmt
