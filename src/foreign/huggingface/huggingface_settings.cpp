#include "foreign/huggingface/huggingface_settings.h"

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include "common/error.h"
#include "nn/files/safetensors.h"

namespace nmt {
namespace {

struct FamilyFacts {
  HuggingFaceFamily family;
  const char *class_name, *model_type;
  const char* norm;
  bool final_norm, embedding_norm;
  const char* positions;  // unless there is a table
  bool output_bias;       // final_logits_bias
  // Defaults of transformers for missing settings in config.json.
  bool scales_embedding;
  const char* activation;
};

constexpr std::array<FamilyFacts, 4> kFamilies = {{
    {HuggingFaceFamily::marian, "MarianMTModel", "marian", "post", false, false, "sinusoidal_halves", true,
     false, "gelu"},
    {HuggingFaceFamily::m2m_100, "M2M100ForConditionalGeneration", "m2m_100", "pre", true, false,
     "tensor2tensor", false, true, "relu"},
    {HuggingFaceFamily::mbart, "MBartForConditionalGeneration", "mbart", "pre", true, true, "learned", true,
     false, "gelu"},
    {HuggingFaceFamily::bart, "BartForConditionalGeneration", "bart", "post", false, true, "learned", true,
     false, "gelu"},
}};

const FamilyFacts& facts_of(HuggingFaceFamily family) {
  return *std::ranges::find(kFamilies, family, &FamilyFacts::family);
}

struct ActivationName {
  const char *there, *here;
};

// The first of each setting's names is the one that is written.
constexpr std::array<ActivationName, 8> kActivations = {{{"relu", "relu"},
                                                         {"gelu", "gelu"},
                                                         {"gelu_new", "gelu_tanh"},
                                                         {"gelu_pytorch_tanh", "gelu_tanh"},
                                                         {"gelu_fast", "gelu_tanh"},
                                                         {"quick_gelu", "gelu_sigmoid"},
                                                         {"swish", "swish"},
                                                         {"silu", "swish"}}};

/// Returns a required size.
std::string size_in(const JsonFile& config, const std::string& key) {
  const std::int64_t size = config.integer(key, 0);
  if (size < 1) config.refuse(key, "not a size; the file is not complete");
  return std::to_string(size);
}

std::string heads_in(const JsonFile& config) {
  const std::string heads = size_in(config, "encoder_attention_heads");
  if (size_in(config, "decoder_attention_heads") != heads) {
    config.refuse("decoder_attention_heads",
                  fmt::format("not as many as the encoder has, {}, as in all models here", heads));
  }
  return heads;
}

void refuse_other_models(const JsonFile& config) {
  if (!config.flag("is_encoder_decoder", true))
    config.refuse("is_encoder_decoder", "not a translation model");
  if (config.find("quantization_config") != nullptr) {
    config.refuse("quantization_config", "an encoding of weights that is not known here; save it in float32");
  }
}

/// Returns which tables are tied: transformers ties the output to the target embedding unless told otherwise,
/// and the embeddings of both sides, which only Marian may have separate.
std::string tying_in(const JsonFile& config, HuggingFaceFamily family) {
  const bool output = config.flag("tie_word_embeddings", true);
  const bool apart =
      family == HuggingFaceFamily::marian && !config.flag("share_encoder_decoder_embeddings", true);
  if (apart) return output ? "target" : "none";
  return output ? "all" : "inputs";
}

}  // namespace

std::string class_of(HuggingFaceFamily family) {
  return facts_of(family).class_name;
}

std::string model_type_of(HuggingFaceFamily family) {
  return facts_of(family).model_type;
}

HuggingFaceFamily family_in(const JsonFile& config) {
  const std::vector<std::string> classes = config.texts("architectures");
  const std::string type = config.text("model_type", "");
  const std::string name = classes.empty() ? type : classes[0];
  for (const FamilyFacts& facts : kFamilies) {
    if (name == facts.class_name || (classes.empty() && name == facts.model_type)) return facts.family;
  }
  std::vector<std::string> known;
  for (const FamilyFacts& facts : kFamilies) known.emplace_back(facts.class_name);
  throw Error("'{}': models of the kind {} cannot be opened, only those of {}", config.name(),
              in_quotes(name), fmt::join(known, ", "));
}

std::string activation_here(const std::string& name) {
  const auto* const found = std::ranges::find(kActivations, name, &ActivationName::there);
  return found == kActivations.end() ? "" : found->here;
}

std::string activation_there(const std::string& name) {
  const auto* const found = std::ranges::find(kActivations, name, &ActivationName::here);
  return found == kActivations.end() ? "" : found->there;
}

ModelSettings huggingface_settings(const JsonFile& config, HuggingFaceFamily family) {
  refuse_other_models(config);
  const FamilyFacts& facts = facts_of(family);
  const std::string activation = activation_here(config.text("activation_function", facts.activation));
  if (activation.empty()) config.refuse("activation_function", "an activation that models here do not have");
  const auto yes_no = [](bool flag) { return flag ? "true" : "false"; };
  ModelSettings settings = {
      {"type", "transformer"},
      {"d_model", size_in(config, "d_model")},
      {"d_ff", size_in(config, "encoder_ffn_dim")},
      {"decoder_d_ff", size_in(config, "decoder_ffn_dim")},
      {"heads", heads_in(config)},
      {"encoder_layers", size_in(config, "encoder_layers")},
      {"decoder_layers", size_in(config, "decoder_layers")},
      {"norm", facts.norm},
      {"final_norm", yes_no(facts.final_norm)},
      {"embedding_norm", yes_no(facts.embedding_norm)},
      {"activation", activation},
      {"embedding_scale", config.flag("scale_embedding", facts.scales_embedding) ? "sqrt" : "1"},
      {"tied_embeddings", tying_in(config, family)},
      {"output_bias", yes_no(facts.output_bias)},
      {"positions", facts.positions},
      {"layer_norm_epsilon", "1e-05"},
  };
  // Positions begin after that of padding, which is its id; tables of learned positions have two unused rows.
  if (family == HuggingFaceFamily::m2m_100)
    settings["position_offset"] = std::to_string(config.integer("pad_token_id", 1) + 1);
  if (settings["positions"] == "learned") settings["position_offset"] = "2";
  return settings;
}

}  // namespace nmt
