#include "foreign/marian/marian_names.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <set>
#include <string>
#include <utility>

#include "foreign/marian/marian_recurrent.h"
#include "foreign/norm_names.h"
#include "nn/transformer/transformer_config.h"

namespace nmt {
namespace {

class Names {
 public:
  explicit Names(const ModelSettings& settings) : config_(settings) {}

  std::vector<Correspondence> all() {
    embeddings();
    for (std::int64_t i = 0; i < config_.encoder_layers; ++i) encoder_layer(i);
    for (const std::int64_t i : std::set(config_.decoder_sets.begin(), config_.decoder_sets.end()))
      decoder_layer(i);
    output();
    return std::move(list_);
  }

 private:
  void same(const std::string& ours, const std::string& theirs) { list_.push_back({ours, theirs}); }
  void linear(const std::string& ours, const std::string& theirs, const std::string& letter) {
    list_.push_back({ours + ".weight", theirs + "_W" + letter, Form::transposed});
    same(ours + ".bias", theirs + "_b" + letter);
  }
  void add(std::vector<Correspondence> pairs) { std::ranges::move(pairs, std::back_inserter(list_)); }
  void layer_norm(const std::string& ours, const std::string& theirs) {
    add(norm_weights(Toolkit::marian, config_, ours, theirs));
  }

  /// Adds layer normalization before the sublayer of this number, after it, or both.
  void sublayer(const std::string& layer, int number, const std::string& theirs) {
    sublayer(layer, number, theirs, theirs);
  }
  void sublayer(const std::string& layer, int number, const std::string& before, const std::string& behind) {
    const bool pre = config_.has_pre_norm();
    if (pre) layer_norm(fmt::format("{}.norm{}", layer, number), before + "_{}_pre");
    if (config_.has_post_norm())
      layer_norm(fmt::format("{}.{}norm{}", layer, pre ? "post_" : "", number), behind + "_{}");
  }

  void attention(const std::string& ours, const std::string& theirs) {
    int part = 0;
    for (const char letter : {'q', 'k', 'v'}) {
      list_.push_back(
          {ours + ".in_proj_weight", fmt::format("{}_W{}", theirs, letter), Form::transposed, part, 3});
      list_.push_back({ours + ".in_proj_bias", fmt::format("{}_b{}", theirs, letter), Form::same, part++, 3});
    }
    linear(ours + ".out_proj", theirs, "o");
  }

  void feed_forward(const std::string& ours, const std::string& theirs, std::int64_t layers) {
    for (std::int64_t i = 1; i <= layers; ++i)
      linear(fmt::format("{}.linear{}", ours, i), theirs, std::to_string(i));
  }

  /// The last matrix is omitted if its input is as wide as the model.
  void average_attention(const std::string& ours, const std::string& theirs) {
    const std::int64_t layers = config_.average_feed_forward.layers;
    feed_forward(ours, theirs, config_.has_average_output() ? layers : layers - 1);
    if (!config_.average_gate) return;
    linear(ours + ".input_gate", theirs, "i");
    linear(ours + ".forget_gate", theirs, "f");
  }

  void ssru(const std::string& ours, const std::string& theirs) {
    list_.push_back({ours + ".in_proj.weight", theirs + "_W", Form::transposed});
    linear(ours + ".forget_gate", theirs, "f");
    if (config_.ssru_projection) linear(ours + ".out_proj", theirs, "o");
  }

  void encoder_layer(std::int64_t i) {
    const std::string ours = fmt::format("encoder.layers.{}", i), theirs = fmt::format("encoder_l{}", i + 1);
    attention(ours + ".self_attn", theirs + "_self");
    sublayer(ours, 1, theirs + "_self_Wo");
    feed_forward(ours, theirs + "_ffn", config_.encoder_feed_forward.layers);
    sublayer(ours, 2, theirs + "_ffn_ffn");
  }

  void decoder_layer(std::int64_t i) {
    const std::string ours = fmt::format("decoder.layers.{}", i), theirs = fmt::format("decoder_l{}", i + 1);
    causal_sublayer(ours, theirs);
    attention(ours + ".multihead_attn", theirs + "_context");
    sublayer(ours, 2, theirs + "_context_Wo");
    feed_forward(ours, theirs + "_ffn", config_.decoder_feed_forward.layers);
    sublayer(ours, 3, theirs + "_ffn_ffn");
  }

  /// Adds the sub-layer by which a target token sees those before it.
  void causal_sublayer(const std::string& ours, const std::string& theirs) {
    switch (config_.decoder_layer) {
      case DecoderLayerKind::average:
        average_attention(ours + ".average", theirs + "_aan");
        return sublayer(ours, 1, theirs + "_aan_ffn");
      case DecoderLayerKind::ssru:
        ssru(ours + ".ssru", theirs + "_rnn");
        return sublayer(ours, 1, theirs + "_rnn", theirs + "_rnn_ffn");
      case DecoderLayerKind::attention:
        attention(ours + ".self_attn", theirs + "_self");
        return sublayer(ours, 1, theirs + "_self_Wo");
    }
  }

  void embeddings() {
    if (has_one_embedding(config_.tying)) {
      same("embedding.weight", "Wemb");
    } else {
      same("source_embedding.weight", "encoder_Wemb");
      same("target_embedding.weight", "decoder_Wemb");
    }
    if (config_.positions == Positions::learned) {
      same("source_positions.weight", "Wpos");
      same("target_positions.weight", "Wpos");
    }
  }

  void output() {
    add(side_norm_weights(Toolkit::marian, config_));
    if (!has_tied_output(config_.tying)) same("output.weight", "decoder_ff_logit_out_Wt");
    if (config_.output_bias) same("output.bias", "decoder_ff_logit_out_b");
  }

  TransformerConfig config_;
  std::vector<Correspondence> list_;
};

}  // namespace

std::vector<Correspondence> marian_names(const ModelSettings& settings) {
  return settings.at("type") == "rnn" ? marian_recurrent_names(settings) : Names(settings).all();
}

}  // namespace nmt
