#include "foreign/eole/eole_weights.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <optional>
#include <utility>
#include <vector>

#include "common/error.h"
#include "foreign/correspondence.h"
#include "foreign/norm_names.h"
#include "foreign/position_table.h"
#include "nn/transformer/transformer_config.h"

namespace nmt {
namespace {

constexpr const char *kSourceTable = "src_emb.embeddings.weight", *kTargetTable = "tgt_emb.embeddings.weight",
                     *kOutput = "generator.weight", *kOutputBias = "generator.bias";

/// Eole's names for the weights of a Transformer, with separate queries, keys and values.
class EoleNames {
 public:
  explicit EoleNames(const ModelSettings& settings) : config_(settings) {}

  std::vector<Correspondence> all() {
    tables();
    for (std::int64_t i = 0; i < config_.encoder_layers; ++i) layer("encoder", i);
    for (std::int64_t i = 0; i < config_.decoder_layers; ++i) layer("decoder", i);
    add(side_norm_weights(Toolkit::eole, config_));
    return std::move(list_);
  }

 private:
  void linear(const std::string& ours, const std::string& theirs) {
    for (const char* end : {".weight", ".bias"}) list_.push_back({ours + end, theirs + end});
  }
  void add(std::vector<Correspondence> pairs) { std::ranges::move(pairs, std::back_inserter(list_)); }
  void norm(const std::string& ours, const std::string& theirs) {
    add(norm_weights(Toolkit::eole, config_, ours, theirs + ".{}"));
  }

  void attention(const std::string& ours, const std::string& theirs) {
    int part = 0;
    for (const char* name : {"query", "keys", "values"}) {
      for (const char* end : {"weight", "bias"}) {
        list_.push_back({ours + ".in_proj_" + end, fmt::format("{}.linear_{}.{}", theirs, name, end),
                         Form::same, part, 3});
      }
      ++part;
    }
    linear(ours + ".out_proj", theirs + ".final_linear");
  }

  void layer(const std::string& side, std::int64_t i) {
    const std::string ours = fmt::format("{}.layers.{}", side, i),
                      theirs = fmt::format("{}.transformer_layers.{}", side, i);
    const bool decodes = side == "decoder";
    attention(ours + ".self_attn", theirs + ".self_attn");
    norm(ours + ".norm1", theirs + ".input_layernorm");
    if (decodes) {
      attention(ours + ".multihead_attn", theirs + ".context_attn");
      norm(ours + ".norm2", theirs + ".precontext_layernorm");
    }
    linear(ours + ".linear1", theirs + ".mlp.gate_up_proj");
    linear(ours + ".linear2", theirs + ".mlp.down_proj");
    norm(ours + (decodes ? ".norm3" : ".norm2"), theirs + ".post_attention_layernorm");
  }

  void tables() {
    if (has_one_embedding(config_.tying)) {
      list_.push_back({"embedding.weight", kSourceTable});
    } else {
      list_.push_back({"source_embedding.weight", kSourceTable});
      list_.push_back({"target_embedding.weight", kTargetTable});
    }
    if (!has_tied_output(config_.tying)) list_.push_back({"output.weight", kOutput});
    if (config_.output_bias) list_.push_back({"output.bias", kOutputBias});
    if (config_.positions != Positions::learned) return;
    list_.push_back({"source_positions.weight", "src_emb.pe.weight"});
    list_.push_back({"target_positions.weight", "tgt_emb.pe.weight"});
  }

  TransformerConfig config_;
  std::vector<Correspondence> list_;
};

/// Returns the sinusoids in the table of a side, [positions, 1, d_model].
std::optional<ComputedPositions> sinusoids_of(ForeignTensors& tensors, const std::string& side,
                                              std::int64_t d_model) {
  const std::string name = side + "_emb.pe.pe";
  if (!tensors.has(name)) return std::nullopt;
  tensors.ignore(name);
  return computed_positions(tensors.file().read(name), d_model);
}

/// Embeddings are scaled if and only if positions are computed.
void add_positions(ForeignTensors& tensors, const EoleConfig& config, std::int64_t d_model,
                   ModelSettings& settings) {
  const auto source = sinusoids_of(tensors, "src", d_model), target = sinusoids_of(tensors, "tgt", d_model);
  set_positions(source, target, settings);
  if (settings["positions"] != "learned") return;
  constexpr const char *kKey = "position_encoding_type", *kTable = "src_emb.pe.weight";
  if (!tensors.has(kTable)) {
    throw Error("'{}' cannot be opened: it has positions of a kind that nmt does not support ({}: {})",
                tensors.file().path(), kKey, config.embeddings().text(kKey, "none"));
  }
  settings["embedding_scale"] = "1";
  settings["max_positions"] = std::to_string(tensors(kTable).rows);
  settings["position_offset"] = std::to_string(config.embeddings().integer("position_shift", 0));
}

std::string layers_of(const ForeignTensors& tensors, const std::string& side) {
  int count = 0;
  while (tensors.has(fmt::format("{}.transformer_layers.{}.mlp.down_proj.weight", side, count))) ++count;
  return std::to_string(count);
}

}  // namespace

void add_settings_of_tensors(ForeignTensors& tensors, const EoleConfig& config, ModelSettings& settings) {
  const WeightSource source = tensors(kSourceTable);
  const auto rows = [&](const std::string& name) { return std::to_string(tensors(name).rows); };
  const bool one_embedding = !tensors.has(kTargetTable), tied_output = !tensors.has(kOutput);
  settings["tied_embeddings"] =
      one_embedding ? (tied_output ? "all" : "inputs") : (tied_output ? "target" : "none");
  settings["output_bias"] = tensors.has(kOutputBias) ? "true" : "false";
  settings["source_vocabulary"] = std::to_string(source.rows);
  settings["target_vocabulary"] = rows(one_embedding ? kSourceTable : kTargetTable);
  settings["d_model"] = std::to_string(source.columns);
  settings["d_ff"] = rows("encoder.transformer_layers.0.mlp.gate_up_proj.weight");
  settings["decoder_d_ff"] = rows("decoder.transformer_layers.0.mlp.gate_up_proj.weight");
  for (const std::string side : {"encoder", "decoder"}) settings[side + "_layers"] = layers_of(tensors, side);
  add_positions(tensors, config, source.columns, settings);
}

std::map<std::string, WeightSource> eole_weights(ForeignTensors& tensors, const ModelSettings& settings) {
  // The factor is for other kinds of layers.
  for (int i = 0; i < std::stoi(settings.at("decoder_layers")); ++i)
    tensors.ignore(fmt::format("decoder.transformer_layers.{}.layer_scalar", i));
  return ours_from(EoleNames(settings).all(), with_biases(tensors));
}

}  // namespace nmt
