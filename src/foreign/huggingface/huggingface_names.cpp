#include "foreign/huggingface/huggingface_names.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <utility>

#include "foreign/norm_names.h"
#include "nn/transformer/transformer_config.h"

namespace nmt {
namespace {

constexpr const char *kShared = "model.shared.weight", *kEncoderTable = "model.encoder.embed_tokens.weight",
                     *kDecoderTable = "model.decoder.embed_tokens.weight";

class NameList {
 public:
  explicit NameList(const ModelSettings& settings) : config_(settings), list_(huggingface_tables(settings)) {}

  std::vector<Correspondence> all() {
    for (std::int64_t i = 0; i < config_.encoder_layers; ++i) layer("encoder", i);
    for (std::int64_t i = 0; i < config_.decoder_layers; ++i) layer("decoder", i);
    add(side_norm_weights(Toolkit::huggingface, config_));
    if (config_.output_bias) add("output.bias", kHuggingFaceBias);
    return std::move(list_);
  }

 private:
  void add(const std::string& ours, const std::string& theirs, int part = 0, int parts = 1) {
    list_.push_back({ours, theirs, Form::same, part, parts});
  }
  void add(std::vector<Correspondence> pairs) { std::ranges::move(pairs, std::back_inserter(list_)); }
  void linear(const std::string& ours, const std::string& theirs) {
    for (const char* end : {".weight", ".bias"}) add(ours + end, theirs + end);
  }
  void norm(const std::string& ours, const std::string& theirs) {
    add(norm_weights(Toolkit::huggingface, config_, ours, theirs + ".{}"));
  }

  void attention(const std::string& ours, const std::string& theirs) {
    int part = 0;
    for (const char letter : {'q', 'k', 'v'}) {
      add(ours + ".in_proj_weight", fmt::format("{}.{}_proj.weight", theirs, letter), part, 3);
      add(ours + ".in_proj_bias", fmt::format("{}.{}_proj.bias", theirs, letter), part++, 3);
    }
    linear(ours + ".out_proj", theirs + ".out_proj");
  }

  void layer(const std::string& side, std::int64_t i) {
    const bool decodes = side == "decoder";
    const std::string ours = fmt::format("{}.layers.{}", side, i), theirs = "model." + ours;
    attention(ours + ".self_attn", theirs + ".self_attn");
    norm(ours + ".norm1", theirs + ".self_attn_layer_norm");
    if (decodes) {
      attention(ours + ".multihead_attn", theirs + ".encoder_attn");
      norm(ours + ".norm2", theirs + ".encoder_attn_layer_norm");
    }
    for (const char* number : {"1", "2"}) linear(ours + ".linear" + number, theirs + ".fc" + number);
    norm(ours + (decodes ? ".norm3" : ".norm2"), theirs + ".final_layer_norm");
  }

  TransformerConfig config_;
  std::vector<Correspondence> list_;
};

}  // namespace

std::vector<Correspondence> huggingface_tables(const ModelSettings& settings) {
  const std::string& tying = settings.at("tied_embeddings");
  std::vector<Correspondence> list;
  if (tying == "all" || tying == "inputs") {
    list.push_back({"embedding.weight", kShared});
  } else {
    list.push_back({"source_embedding.weight", kEncoderTable});
    list.push_back({"target_embedding.weight", kDecoderTable});
  }
  if (tying == "inputs" || tying == "none") list.push_back({"output.weight", kHuggingFaceOutput});
  if (settings.at("positions") == "learned") {
    list.push_back({"source_positions.weight", "model.encoder.embed_positions.weight"});
    list.push_back({"target_positions.weight", "model.decoder.embed_positions.weight"});
  }
  return list;
}

std::vector<Correspondence> huggingface_names(const ModelSettings& settings) {
  return NameList(settings).all();
}

std::vector<std::string> names_of_table(const std::string& name, const ModelSettings& settings) {
  const std::string& tying = settings.at("tied_embeddings");
  std::vector<std::string> names = {name};
  if (name == kShared) names.insert(names.end(), {kEncoderTable, kDecoderTable});
  const bool is_output = (name == kShared && tying == "all") || (name == kDecoderTable && tying == "target");
  if (is_output) names.insert(names.end(), {kHuggingFaceOutput, kFsmtOutput});
  return names;
}

}  // namespace nmt
