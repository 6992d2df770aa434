#include "foreign/fairseq/fairseq_settings.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <utility>

#include "common/error.h"
#include "nn/files/safetensors.h"

namespace nmt {
namespace {

using nlohmann::json;

/// Returns an entry_at; null if there is none, or if `object` is none.
json entry_at(const json& object, const char* key) {
  return object.is_object() && object.contains(key) ? object[key] : json();
}

/// Adds the values of an object whose keys have this start, with a prefix ("encoder_") before the keys.
void add_entries(const json& object, const std::string& start, const std::string& prefix, json& to) {
  if (!object.is_object()) return;
  for (const auto& [key, value] : object.items()) {
    if (key.starts_with(start)) to[prefix + key] = value;
  }
}

/// Returns the settings of a configuration, whose encoder and decoder may have parts of their own.
json flat(const json& config) {
  json all = json::object();
  const json model = entry_at(config, "model"), tokenizer = entry_at(config, "tokenizer");
  add_entries(entry_at(config, "task"), "", "", all);
  for (const std::string side : {"encoder", "decoder"})
    add_entries(entry_at(model, side.c_str()), "", side + "_", all);
  add_entries(model, "", "", all);
  add_entries(tokenizer, "moses_", "", all);
  const std::array<std::pair<const char*, json>, 4> names = {
      {{"task", entry_at(entry_at(config, "task"), "_name")},
       {"arch", entry_at(model, "_name")},
       {"bpe", entry_at(entry_at(config, "bpe"), "_name")},
       {"tokenizer", entry_at(tokenizer, "_name")}}};
  for (const auto& [key, name] : names) {
    if (!name.is_null() && entry_at(all, key).is_null()) all[key] = name;
  }
  return all;
}

/// Whether a setting turns something off.
bool is_off(const json& value) {
  return value == json(false) || value == json(0) || value == json("") ||
         (value.is_structured() && value.empty());
}

/// Settings of models that nmt cannot compute unless they are off.
constexpr std::array kUnsupported = {"adaptive_softmax_cutoff",
                                     "adaptive_input",
                                     "tie_adaptive_weights",
                                     "cross_self_attention",
                                     "no_cross_attention",
                                     "encoder_layers_to_keep",
                                     "decoder_layers_to_keep",
                                     "base_layers",
                                     "moe_freq",
                                     "scale_fc",
                                     "scale_attn",
                                     "scale_heads",
                                     "scale_resids",
                                     "use_alibi",
                                     "alibi",
                                     "encoder_xformers_att_config",
                                     "decoder_xformers_att_config"};

void refuse_unsupported(const JsonFile& settings) {
  for (const char* key : kUnsupported) {
    const json* value = settings.find(key);
    if (value != nullptr && !is_off(*value)) settings.refuse(key, "which nmt does not support");
  }
}

void check_kind(const JsonFile& settings) {
  const std::string architecture = settings.text("arch", ""), task = settings.text("task", "");
  const bool translates =
      architecture == "transformer" ||
      (architecture.starts_with("transformer_") && !architecture.starts_with("transformer_lm") &&
       !architecture.starts_with("transformer_from_pretrained"));
  if (!translates) settings.refuse("arch", "not a Transformer for translation, which nmt needs");
  if (!task.empty() && task != "translation")
    settings.refuse("task", "not `translation`, the only one that nmt supports");
}

std::string fairseq_size(const JsonFile& settings, const std::string& key) {
  const std::int64_t size = settings.integer(key, 0);
  if (size < 1) settings.refuse(key, "not a size; the file is not complete");
  return std::to_string(size);
}

/// Returns a size that both sides share.
std::string shared_size(const JsonFile& settings, const std::string& key) {
  const std::string size = fairseq_size(settings, "encoder_" + key);
  if (fairseq_size(settings, "decoder_" + key) != size)
    settings.refuse("decoder_" + key, fmt::format("but the encoder has {}, and nmt needs the same", size));
  return size;
}

bool shared_flag(const JsonFile& settings, const std::string& key) {
  const bool flag = settings.flag("encoder_" + key, false);
  if (settings.flag("decoder_" + key, false) != flag)
    settings.refuse("decoder_" + key, "different from that of the encoder, which nmt does not support");
  return flag;
}

std::string fairseq_activation(const JsonFile& settings) {
  constexpr auto kActivations =
      std::to_array<std::pair<const char*, const char*>>({{"relu", "relu"},
                                                          {"gelu", "gelu"},
                                                          {"gelu_accurate", "gelu_tanh"},
                                                          {"gelu_fast", "gelu_tanh"},
                                                          {"swish", "swish"}});
  constexpr const char* kKey = "activation_fn";
  const std::string name = settings.text(kKey, "relu");
  const auto* const found =
      std::ranges::find(kActivations, name, [](const auto& pair) { return std::string(pair.first); });
  if (found == kActivations.end()) settings.refuse(kKey, "an activation that nmt does not support");
  return found->second;
}

/// Refuses a decoder whose inputs or outputs have another width than its layers.
void check_widths(const JsonFile& settings, const std::string& d_model) {
  for (const char* key : {"decoder_input_dim", "decoder_output_dim"}) {
    if (settings.find(key) != nullptr && fairseq_size(settings, key) != d_model)
      settings.refuse(key, fmt::format("but the layers have {}, and nmt needs the same", d_model));
  }
}

std::string fairseq_tying(const JsonFile& settings) {
  if (settings.flag("share_all_embeddings", false)) return "all";
  return settings.flag("share_decoder_input_output_embed", false) ? "target" : "none";
}

std::string fairseq_positions(const JsonFile& settings) {
  if (settings.flag("no_token_positional_embeddings", false)) return "none";
  return shared_flag(settings, "learned_pos") ? "learned" : "tensor2tensor";
}

}  // namespace

JsonFile fairseq_settings(const json& settings, const std::string& name) {
  const json arguments = entry_at(settings, kFairseqArguments), config = entry_at(settings, kFairseqConfig);
  if (arguments.is_object()) return JsonFile::from_values(arguments, name);
  if (config.is_object()) return JsonFile::from_values(flat(config), name);
  throw Error("'{}' has neither {} nor {}, so it is not a checkpoint of fairseq", name, kFairseqArguments,
              kFairseqConfig);
}

ModelSettings settings_of_fairseq(const JsonFile& settings) {
  check_kind(settings);
  refuse_unsupported(settings);
  const std::string d_model = shared_size(settings, "embed_dim");
  check_widths(settings, d_model);
  const std::string positions = fairseq_positions(settings);
  return {{"type", "transformer"},
          {"d_model", d_model},
          {"d_ff", fairseq_size(settings, "encoder_ffn_embed_dim")},
          {"decoder_d_ff", fairseq_size(settings, "decoder_ffn_embed_dim")},
          {"heads", shared_size(settings, "attention_heads")},
          {"encoder_layers", fairseq_size(settings, "encoder_layers")},
          {"decoder_layers", fairseq_size(settings, "decoder_layers")},
          {"norm", shared_flag(settings, "normalize_before") ? "pre" : "post"},
          {"embedding_norm", settings.flag("layernorm_embedding", false) ? "true" : "false"},
          {"activation", fairseq_activation(settings)},
          {"positions", positions},
          {"position_offset", positions == "none" ? "0" : "2"},  // after that of padding, whose id is 1
          {"embedding_scale", settings.flag("no_scale_embedding", false) ? "1" : "sqrt"},
          {"tied_embeddings", fairseq_tying(settings)},
          {"output_bias", "false"},
          {"layer_norm_epsilon", "1e-05"}};
}

}  // namespace nmt
