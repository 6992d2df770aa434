#include "foreign/huggingface/huggingface_names.h"

#include <cstdint>
#include <utility>

#include "common/error.h"

namespace nmt {
namespace {

constexpr const char *kShared = "model.shared.weight", *kEncoderTable = "model.encoder.embed_tokens.weight",
                     *kDecoderTable = "model.decoder.embed_tokens.weight";

constexpr std::int64_t kMostLayers = 1000;

class NameList {
 public:
  explicit NameList(const ModelSettings& settings) : settings_(settings) {}

  std::vector<Correspondence> all() {
    embeddings();
    for (const char* side : {"encoder", "decoder"}) layers(side);
    if (settings_.at("output_bias") == "true") add("output.bias", kHuggingFaceBias);
    return std::move(list_);
  }

 private:
  const std::string& text(const std::string& name) const { return settings_.at(name); }

  void add(const std::string& ours, const std::string& theirs, int part = 0, int parts = 1) {
    list_.push_back({ours, theirs, Form::same, part, parts});
  }
  void linear(const std::string& ours, const std::string& theirs) {
    for (const char* end : {".weight", ".bias"}) add(ours + end, theirs + end);
  }

  void attention(const std::string& ours, const std::string& theirs) {
    int part = 0;
    for (const char letter : {'q', 'k', 'v'}) {
      add(ours + ".in_proj_weight", fmt::format("{}.{}_proj.weight", theirs, letter), part, 3);
      add(ours + ".in_proj_bias", fmt::format("{}.{}_proj.bias", theirs, letter), part++, 3);
    }
    linear(ours + ".out_proj", theirs + ".out_proj");
  }

  void layers(const std::string& side) {
    const bool decodes = side == "decoder";
    for (std::int64_t i = 0; i < integer_setting(settings_, side + "_layers", 1, kMostLayers); ++i) {
      const std::string ours = fmt::format("{}.layers.{}", side, i), theirs = "model." + ours;
      attention(ours + ".self_attn", theirs + ".self_attn");
      linear(ours + ".norm1", theirs + ".self_attn_layer_norm");
      if (decodes) {
        attention(ours + ".multihead_attn", theirs + ".encoder_attn");
        linear(ours + ".norm2", theirs + ".encoder_attn_layer_norm");
      }
      for (const char* number : {"1", "2"}) linear(ours + ".linear" + number, theirs + ".fc" + number);
      linear(ours + (decodes ? ".norm3" : ".norm2"), theirs + ".final_layer_norm");
    }
    const bool is_pre = text("norm") == "pre";
    if (text("final_norm") == "true" || (text("final_norm") == "auto" && is_pre))
      linear(side + ".norm", "model." + side + ".layer_norm");
    if (text("embedding_norm") == "true")
      linear(side + ".embedding_norm", "model." + side + ".layernorm_embedding");
  }

  void embeddings() {
    const std::string& tying = text("tied_embeddings");
    if (tying == "all" || tying == "inputs") {
      add("embedding.weight", kShared);
    } else {
      add("source_embedding.weight", kEncoderTable);
      add("target_embedding.weight", kDecoderTable);
    }
    if (tying == "inputs" || tying == "none") add("output.weight", kHuggingFaceOutput);
    if (text("positions") == "learned") {
      add("source_positions.weight", "model.encoder.embed_positions.weight");
      add("target_positions.weight", "model.decoder.embed_positions.weight");
    }
  }

  const ModelSettings& settings_;
  std::vector<Correspondence> list_;
};

}  // namespace

std::vector<Correspondence> huggingface_names(const ModelSettings& settings) {
  return NameList(settings).all();
}

std::vector<std::string> names_of_table(const std::string& name, const ModelSettings& settings) {
  const std::string& tying = settings.at("tied_embeddings");
  std::vector<std::string> names = {name};
  if (name == kShared) names.insert(names.end(), {kEncoderTable, kDecoderTable});
  const bool is_output = (name == kShared && tying == "all") || (name == kDecoderTable && tying == "target");
  if (is_output) names.emplace_back(kHuggingFaceOutput);
  return names;
}

}  // namespace nmt
