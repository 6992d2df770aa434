#include "foreign/marian/marian_weights.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "common/error.h"

namespace nmt {
namespace {

/// Which layer normalizations surround a sub-layer: their names here, and the ends of those of Marian.
struct Norms {
  bool pre, post;

  explicit Norms(const std::string& norm)
      : pre(norm == "pre" || norm == "both"), post(norm == "post" || norm == "both") {}
};

class Translation {
 public:
  Translation(ForeignTensors& tensors, const ModelSettings& settings)
      : tensors_(tensors), settings_(settings), norms_(settings.at("norm")) {}

  std::map<std::string, WeightSource> all() {
    embeddings();
    for (std::int64_t i = 0; i < integer("encoder_layers"); ++i) encoder_layer(i);
    for (const std::int64_t i : decoder_sets()) decoder_layer(i);
    return std::move(sources_);
  }

 private:
  std::int64_t integer(const std::string& name) const { return integer_setting(settings_, name, 0, 1 << 24); }
  bool is_on(const std::string& name) const { return settings_.at(name) == "true"; }

  /// A matrix, which Marian has the other way round.
  WeightSource matrix(const std::string& name) { return transposed(tensors_(name)); }

  void layer_norm(const std::string& to, const std::string& from, const std::string& end) {
    sources_[to + ".weight"] = tensors_(from + "_scale" + end);
    sources_[to + ".bias"] = tensors_(from + "_bias" + end);
  }

  /// The normalization in front of sub-layer `number` of a layer, behind it, or both.
  void sublayer_norms(const std::string& layer, int number, const std::string& from) {
    if (norms_.pre) layer_norm(fmt::format("{}.norm{}", layer, number), from + "_ln", "_pre");
    if (norms_.post) {
      layer_norm(fmt::format("{}.{}norm{}", layer, norms_.pre ? "post_" : "", number), from + "_ln", "");
    }
  }

  void attention(const std::string& to, const std::string& from) {
    sources_[to + ".in_proj_weight"] =
        stacked({matrix(from + "_Wq"), matrix(from + "_Wk"), matrix(from + "_Wv")});
    sources_[to + ".in_proj_bias"] =
        stacked({tensors_(from + "_bq"), tensors_(from + "_bk"), tensors_(from + "_bv")});
    const bool has_output = tensors_.has(from + "_Wo");  // see transformer-no-projection
    sources_[to + ".out_proj.weight"] = has_output ? matrix(from + "_Wo") : identity(integer("d_model"));
    sources_[to + ".out_proj.bias"] = has_output ? tensors_(from + "_bo") : filled(1, integer("d_model"), 0);
  }

  void feed_forward(const std::string& to, const std::string& from, std::int64_t layers) {
    for (std::int64_t i = 1; i <= layers; ++i) {
      sources_[fmt::format("{}.linear{}.weight", to, i)] = matrix(fmt::format("{}_W{}", from, i));
      sources_[fmt::format("{}.linear{}.bias", to, i)] = tensors_(fmt::format("{}_b{}", from, i));
    }
  }

  void average_attention(const std::string& to, const std::string& from) {
    const bool is_narrow = integer("average_d_ff") == integer("d_model");  // the last matrix is left out
    feed_forward(to, from, integer("average_ffn_layers") - (is_narrow ? 1 : 0));
    if (!is_on("average_gate")) return;
    for (const auto& [gate, letter] : {std::pair{"input_gate", 'i'}, std::pair{"forget_gate", 'f'}}) {
      sources_[fmt::format("{}.{}.weight", to, gate)] = matrix(fmt::format("{}_W{}", from, letter));
      sources_[fmt::format("{}.{}.bias", to, gate)] = tensors_(fmt::format("{}_b{}", from, letter));
    }
  }

  void encoder_layer(std::int64_t i) {
    const std::string to = fmt::format("encoder.layers.{}", i), from = fmt::format("encoder_l{}", i + 1);
    attention(to + ".self_attn", from + "_self");
    sublayer_norms(to, 1, from + "_self_Wo");
    feed_forward(to, from + "_ffn", integer("ffn_layers"));
    sublayer_norms(to, 2, from + "_ffn_ffn");
  }

  void decoder_layer(std::int64_t i) {
    const std::string to = fmt::format("decoder.layers.{}", i), from = fmt::format("decoder_l{}", i + 1);
    if (settings_.at("decoder_layer") == "average") {
      average_attention(to + ".average", from + "_aan");
      sublayer_norms(to, 1, from + "_aan_ffn");
    } else {
      attention(to + ".self_attn", from + "_self");
      sublayer_norms(to, 1, from + "_self_Wo");
    }
    attention(to + ".multihead_attn", from + "_context");
    sublayer_norms(to, 2, from + "_context_Wo");
    const std::int64_t own_layers = integer("decoder_ffn_layers");
    feed_forward(to, from + "_ffn", own_layers > 0 ? own_layers : integer("ffn_layers"));
    sublayer_norms(to, 3, from + "_ffn_ffn");
  }

  /// The sets of parameters of the decoder's layers, each once.
  std::vector<std::int64_t> decoder_sets() const {
    const std::string& tied = settings_.at("tied_decoder_layers");
    std::vector<std::int64_t> sets;
    for (std::int64_t i = 0; i < integer("decoder_layers"); ++i) {
      if (tensors_.has(fmt::format("decoder_l{}_context_Wq", i + 1)) || tied == "none") sets.push_back(i);
    }
    return sets;
  }

  void embeddings() {
    const std::string& tying = settings_.at("tied_embeddings");
    if (tying == "all" || tying == "inputs") {
      sources_["embedding.weight"] = tensors_("Wemb");
    } else {
      sources_["source_embedding.weight"] = tensors_("encoder_Wemb");
      sources_["target_embedding.weight"] = tensors_("decoder_Wemb");
    }
    if (tying == "inputs" || tying == "none") {
      // Rows of words; very old files have columns.
      sources_["output.weight"] = tensors_.has("decoder_ff_logit_out_Wt")
                                      ? tensors_("decoder_ff_logit_out_Wt")
                                      : matrix("decoder_ff_logit_out_W");
    }
    if (is_on("output_bias")) sources_["output.bias"] = tensors_("decoder_ff_logit_out_b");
    for (const std::string side : {"encoder", "decoder"}) {
      if (is_on("final_norm")) layer_norm(side + ".norm", side + "_top_ln", "");
      if (is_on("embedding_norm")) layer_norm(side + ".embedding_norm", side + "_emb_ln", "_pre");
    }
    if (settings_.at("positions") == "learned") {
      for (const std::string side : {"source", "target"})
        sources_[side + "_positions.weight"] = tensors_("Wpos");
    }
  }

  ForeignTensors& tensors_;
  const ModelSettings& settings_;
  Norms norms_;
  std::map<std::string, WeightSource> sources_;
};

std::string rows_in(const ForeignTensors& tensors, const std::vector<std::string>& names) {
  for (const std::string& name : names) {
    const TensorFile::Entry* entry = tensors.file().find(name);
    if (entry != nullptr && entry->shape.size() == 2) return std::to_string(entry->shape[0]);
  }
  throw Error("'{}' has no tensor '{}'; the file is not complete", tensors.file().path(), names.front());
}

}  // namespace

void add_settings_of_tensors(const ForeignTensors& tensors, ModelSettings& settings) {
  settings["source_vocabulary"] = rows_in(tensors, {"Wemb", "encoder_Wemb"});
  settings["target_vocabulary"] = rows_in(tensors, {"Wemb", "decoder_Wemb"});
  // The setting transformer-train-position-embeddings says nothing. Learned ones come with embeddings as they
  // are.
  if (!tensors.has("Wpos")) return;
  settings["positions"] = "learned";
  settings["max_positions"] = rows_in(tensors, {"Wpos"});
  settings["embedding_scale"] = "1";
}

std::map<std::string, WeightSource> marian_weights(ForeignTensors& tensors, const ModelSettings& settings) {
  return Translation(tensors, settings).all();
}

}  // namespace nmt
