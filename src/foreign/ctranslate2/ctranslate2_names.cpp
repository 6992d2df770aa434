#include "foreign/ctranslate2/ctranslate2_names.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <utility>

#include "foreign/ctranslate2/ctranslate2_relative.h"
#include "foreign/norm_names.h"
#include "nn/transformer/transformer_config.h"

namespace nmt {
namespace {

class CTranslate2Names {
 public:
  explicit CTranslate2Names(const ModelSettings& settings)
      : config_(settings), parts_(static_cast<int>(config_.attention_parts())) {}

  std::vector<Correspondence> all() {
    tables();
    for (std::int64_t i = 0; i < config_.encoder_layers; ++i)
      encoder_layer(fmt::format("encoder.layers.{}", i), fmt::format("encoder/layer_{}/", i));
    for (std::size_t i = 0; i < config_.decoder_sets.size(); ++i)
      decoder_layer(fmt::format("decoder.layers.{}", config_.decoder_sets[i]),
                    fmt::format("decoder/layer_{}/", i));
    add(side_norm_weights(Toolkit::ctranslate2, config_));
    if (config_.positions == Positions::relative) relative_biases();
    return std::move(list_);
  }

 private:
  void same(const std::string& ours, const std::string& theirs) { list_.push_back({ours, theirs}); }
  void linear(const std::string& ours, const std::string& theirs) {
    for (const std::string& end : linear_weights(config_))
      same(fmt::format("{}.{}", ours, end), fmt::format("{}/{}", theirs, end));
  }
  void add(std::vector<Correspondence> pairs) { std::ranges::move(pairs, std::back_inserter(list_)); }
  /// Adds some parts of the matrix of queries, keys and values, of which the last two are keys and values.
  void parts(const std::string& ours, const std::string& theirs, int first, int count) {
    for (const std::string& end : linear_weights(config_))
      list_.push_back({fmt::format("{}.in_proj_{}", ours, end), fmt::format("{}/{}", theirs, end), Form::same,
                       first, parts_, count});
  }

  void tables() {
    const std::string source = has_one_embedding(config_.tying) ? "embedding" : "source_embedding",
                      target = has_one_embedding(config_.tying) ? "embedding" : "target_embedding";
    same(source + ".weight", "encoder/embeddings_0/weight");
    same(target + ".weight", "decoder/embeddings/weight");
    same((has_tied_output(config_.tying) ? target : "output") + ".weight", "decoder/projection/weight");
    if (config_.output_bias) same("output.bias", "decoder/projection/bias");
  }

  /// Adds the self-attention, with which layers of both sides begin.
  void self_attention(const std::string& ours, const std::string& theirs) {
    parts(ours + ".self_attn", theirs + "self_attention/linear_0", 0, parts_);
    linear(ours + ".self_attn.out_proj", theirs + "self_attention/linear_1");
    norm_of(ours, 1, theirs + "self_attention");
    if (config_.positions != Positions::shaw) return;
    same(ours + ".self_attn.relative_keys.weight", theirs + "self_attention/" + kRelativeKeys);
    same(ours + ".self_attn.relative_values.weight", theirs + "self_attention/" + kRelativeValues);
  }
  /// Adds the tables of biases, of which each layer has that of its side.
  void relative_biases() {
    for (std::int64_t i = 0; i < config_.encoder_layers; ++i)
      same("encoder.relative_bias.weight", self_attention_scope("encoder", i) + kRelativeBias);
    for (std::size_t i = 0; i < config_.decoder_sets.size(); ++i)
      same("decoder.relative_bias.weight",
           self_attention_scope("decoder", static_cast<std::int64_t>(i)) + kRelativeBias);
  }
  void norm_of(const std::string& ours, int number, const std::string& theirs) {
    add(norm_weights(Toolkit::ctranslate2, config_, fmt::format("{}.norm{}", ours, number),
                     theirs + "/layer_norm/{}"));
  }
  void feed_forward(const std::string& ours, const std::string& theirs) {
    linear(ours + ".linear1", theirs + "ffn/linear_0");
    if (config_.encoder_feed_forward.is_gated) linear(ours + ".linear_gated", theirs + "ffn/linear_0_noact");
    linear(ours + ".linear2", theirs + "ffn/linear_1");
  }

  void encoder_layer(const std::string& ours, const std::string& theirs) {
    self_attention(ours, theirs);
    feed_forward(ours, theirs);
    norm_of(ours, 2, theirs + "ffn");
  }

  void decoder_layer(const std::string& ours, const std::string& theirs) {
    self_attention(ours, theirs);
    parts(ours + ".multihead_attn", theirs + "attention/linear_0", 0, parts_ - 2);
    parts(ours + ".multihead_attn", theirs + "attention/linear_1", parts_ - 2, 2);
    linear(ours + ".multihead_attn.out_proj", theirs + "attention/linear_2");
    norm_of(ours, 2, theirs + "attention");
    feed_forward(ours, theirs);
    norm_of(ours, 3, theirs + "ffn");
  }

  TransformerConfig config_;
  int parts_;  // of the matrices of attention
  std::vector<Correspondence> list_;
};

}  // namespace

std::string ctranslate2_positions(const std::string& side) {
  return side + "/position_encodings/encodings";
}

std::string self_attention_scope(const std::string& side, std::int64_t layer) {
  return fmt::format("{}/layer_{}/self_attention/", side, layer);
}

std::vector<Correspondence> ctranslate2_names(const ModelSettings& settings) {
  return CTranslate2Names(settings).all();
}

}  // namespace nmt
