#include "foreign/huggingface/t5.h"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <cstdint>
#include <utility>
#include <vector>

#include "foreign/correspondence.h"
#include "foreign/huggingface/huggingface_names.h"
#include "foreign/layer_variants.h"

namespace nmt {
namespace {

/// The names of the embedding, which files contain under at least one of them.
constexpr std::array<const char*, 3> kT5Embeddings = {"shared.weight", "encoder.embed_tokens.weight",
                                                      "decoder.embed_tokens.weight"};

/// Returns a required size, or one that may be missing.
std::string number_in(const JsonFile& config, const char* key, std::int64_t otherwise = 0) {
  const std::int64_t size = config.integer(key, otherwise);
  if (size < 1) config.refuse(key, "not a size; the file is not complete");
  return std::to_string(size);
}

/// Adds the kind of feed-forward networks: an activation, perhaps after "gated-".
void add_feed_forward(const JsonFile& config, HuggingFaceFamily family, ModelSettings& settings) {
  constexpr const char* kKey = "feed_forward_proj";
  constexpr std::string_view kGated = "gated-";
  std::string name = config.text(kKey, family == HuggingFaceFamily::mt5 ? "gated-gelu" : "relu");
  const bool is_gated = name.starts_with(kGated);
  if (is_gated) name = name == "gated-gelu" ? "gelu_new" : name.substr(kGated.size());
  const auto activation = value_here(Toolkit::huggingface, "activation", name);
  if (!activation) config.refuse(kKey, "an activation that nmt does not support");
  settings["activation"] = *activation;
  settings["ffn_gate"] = is_gated ? "true" : "false";
}

/// Returns the name of the kind of feed-forward networks with these settings.
std::string feed_forward_name(const ModelSettings& settings) {
  std::string name = name_there(Toolkit::huggingface, "activation", settings.at("activation"));
  if (settings.at("ffn_gate") == "false") return name;
  // In transformers, "gated-gelu" is the approximation by tanh, unlike "gelu".
  if (name == "gelu_new") return "gated-gelu";
  return "gated-" + (name == "gelu" ? "gelu_python" : name);
}

/// Returns the factor of the decoder's output: that of old T5, whose output layer is the embedding.
double output_scale(const JsonFile& config, HuggingFaceFamily family, const ModelSettings& settings) {
  const bool scales = family == HuggingFaceFamily::t5 &&
                      config.flag("scale_decoder_outputs", config.flag("tie_word_embeddings", true));
  return scales ? 1 / std::sqrt(static_cast<double>(integer_setting(settings, "d_model", 1, 1 << 24))) : 1;
}

class T5NameList {
 public:
  explicit T5NameList(const TransformerConfig& config) : config_(config) {}

  std::vector<Correspondence> all() {
    for (const std::string side : {"encoder", "decoder"}) {
      const std::int64_t layers = side == "encoder" ? config_.encoder_layers : config_.decoder_layers;
      for (std::int64_t i = 0; i < layers; ++i) layer(side, i);
      add(side + ".norm.weight", side + ".final_layer_norm.weight");
      add(side + ".relative_bias.weight",
          side + ".block.0.layer.0.SelfAttention.relative_attention_bias.weight");
    }
    return std::move(list_);
  }

 private:
  void add(const std::string& ours, const std::string& theirs, int part = 0, int parts = 1) {
    list_.push_back({ours, theirs, Form::same, part, parts});
  }

  void attention(const std::string& ours, const std::string& theirs) {
    int part = 0;
    for (const char letter : {'q', 'k', 'v'})
      add(ours + ".in_proj_weight", fmt::format("{}.{}.weight", theirs, letter), part++, 3);
    add(ours + ".out_proj.weight", theirs + ".o.weight");
  }

  void feed_forward(const std::string& ours, const std::string& theirs) {
    const bool is_gated = config_.encoder_feed_forward.is_gated;
    add(ours + ".linear1.weight", theirs + (is_gated ? ".wi_0.weight" : ".wi.weight"));
    if (is_gated) add(ours + ".linear_gated.weight", theirs + ".wi_1.weight");
    add(ours + ".linear2.weight", theirs + ".wo.weight");
  }

  void layer(const std::string& side, std::int64_t i) {
    const std::string ours = fmt::format("{}.layers.{}", side, i);
    int number = 0;
    const auto next = [&] {
      const std::string theirs = fmt::format("{}.block.{}.layer.{}", side, i, number++);
      add(fmt::format("{}.norm{}.weight", ours, number), theirs + ".layer_norm.weight");
      return theirs;
    };
    attention(ours + ".self_attn", next() + ".SelfAttention");
    if (side == "decoder") attention(ours + ".multihead_attn", next() + ".EncDecAttention");
    feed_forward(ours, next() + ".DenseReluDense");
  }

  const TransformerConfig& config_;
  std::vector<Correspondence> list_;
};

}  // namespace

std::string t5_embedding(ForeignTensors& tensors) {
  std::string found = kT5Embeddings.front();
  for (auto name = kT5Embeddings.rbegin(); name != kT5Embeddings.rend(); ++name) {
    if (tensors.has(*name)) found = *name;
    tensors.ignore(*name);
  }
  return found;
}

std::vector<Correspondence> t5_layers(const TransformerConfig& config) {
  return T5NameList(config).all();
}

void ignore_unused_of_t5(ForeignTensors& tensors) {
  tensors.ignore("decoder.block.0.layer.1.EncDecAttention.relative_attention_bias.weight");
}

ModelSettings t5_settings(const JsonFile& config, HuggingFaceFamily family, ForeignTensors& tensors) {
  refuse_other_models(config);
  const std::string rows = std::to_string(tensors(t5_embedding(tensors)).rows);
  ModelSettings settings = {
      {"type", "transformer"},
      {"d_model", number_in(config, "d_model")},
      {"d_ff", number_in(config, "d_ff")},
      {"heads", number_in(config, "num_heads")},
      {"head_size", number_in(config, "d_kv")},
      {"attention_scale", "1"},
      {"encoder_layers", number_in(config, "num_layers")},
      {"decoder_layers", number_in(config, "num_decoder_layers", config.integer("num_layers", 0))},
      {"norm", "pre"},
      {"norm_kind", "rms"},
      {"layer_norm_epsilon", fmt::format("{}", config.real("layer_norm_epsilon", 1e-6))},
      {"linear_bias", "false"},
      {"output_bias", "false"},
      {"embedding_scale", "1"},
      {"positions", "relative"},
      {"relative_buckets", number_in(config, "relative_attention_num_buckets", 32)},
      {"relative_distance", number_in(config, "relative_attention_max_distance", 128)},
      {"tied_embeddings", tensors.has(kHuggingFaceOutput) ? "inputs" : "all"},
      {"source_vocabulary", rows},
      {"target_vocabulary", rows},
  };
  add_feed_forward(config, family, settings);
  return settings;
}

nlohmann::json t5_config(const ModelSettings& settings) {
  const TransformerConfig config(settings);
  return {{"d_model", config.d_model},
          {"d_ff", config.encoder_feed_forward.d_ff},
          {"d_kv", config.head_size},
          {"num_heads", config.heads},
          {"num_layers", config.encoder_layers},
          {"num_decoder_layers", config.decoder_layers},
          {"feed_forward_proj", feed_forward_name(settings)},
          {"relative_attention_num_buckets", config.relative_buckets},
          {"relative_attention_max_distance", config.relative_distance},
          {"layer_norm_epsilon", real_setting(settings, "layer_norm_epsilon", 0, 1)},
          {"scale_decoder_outputs", false},
          {"dropout_rate", 0.1}};
}

std::vector<Correspondence> t5_names(const ModelSettings& settings, const std::string& embedding) {
  std::vector<Correspondence> names = t5_layers(TransformerConfig(settings));
  names.push_back({"embedding.weight", embedding});
  if (settings.at("tied_embeddings") == "inputs") names.push_back({"output.weight", kHuggingFaceOutput});
  return names;
}

std::map<std::string, WeightSource> t5_weights(ForeignTensors& tensors, const JsonFile& config,
                                               HuggingFaceFamily family, const ModelSettings& settings) {
  std::map<std::string, WeightSource> weights = ours_from(t5_names(settings, t5_embedding(tensors)), tensors);
  // A factor of the decoder's output is one of its last gain.
  WeightSource& gain = weights["decoder.norm.weight"];
  gain = scaled(gain, output_scale(config, family, settings));
  ignore_unused_of_t5(tensors);
  tensors.check_all_asked_for();
  return weights;
}

}  // namespace nmt
