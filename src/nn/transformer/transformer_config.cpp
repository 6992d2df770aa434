#include "nn/transformer/transformer_config.h"

#include <algorithm>

#include "common/error.h"

namespace nmt {
namespace {

constexpr std::int64_t kLargest = 1 << 24;  // keeps every product of two sizes far from overflow

/// The value of a setting that has choices, one of them.
std::string chosen(const ModelSettings& settings, const std::string& name) {
  const auto& keys = transformer_keys();
  const auto key = std::find_if(keys.begin(), keys.end(), [&](const ModelKey& k) { return k.name == name; });
  return choice_setting(settings, name, key->choices);
}

}  // namespace

const std::vector<ModelKey>& transformer_keys() {
  static const std::vector<ModelKey> keys = {
      {"d_model", "512", "width of the layers"},
      {"d_ff", "2048", "inner width of the feed-forward networks"},
      {"heads", "8", "attention heads; must divide d_model"},
      {"encoder_layers", "6", "layers of the encoder"},
      {"decoder_layers", "6", "layers of the decoder"},
      {"norm",
       "post",
       "layer normalization: post (the paper) or pre (inside the residual branch)",
       {"post", "pre"}},
      {"activation", "relu", "of the feed-forward networks: relu or gelu (exact)", {"relu", "gelu"}},
      {"tied_embeddings",
       "all",
       "one matrix for: all (source, target, output), target (target, output), none",
       {"all", "target", "none"}},
      {"positions", "sinusoidal", "position embeddings", {"sinusoidal", "learned"}},
      {"decoder_start", "bos", "first decoder input: bos (BOS) or zero (a zero vector)", {"bos", "zero"}},
      {"max_positions", "1024",
       "longest sequence of a model with learned positions, special tokens included"},
      {"layer_norm_epsilon", "1e-06", "added to the variance in layer normalization"},
      {"source_vocabulary", "", "number of source pieces; comes from the vocabulary"},
      {"target_vocabulary", "", "number of target pieces; comes from the vocabulary"},
  };
  return keys;
}

TransformerConfig::TransformerConfig(const ModelSettings& s)
    : d_model(integer_setting(s, "d_model", 1, kLargest)),
      d_ff(integer_setting(s, "d_ff", 1, kLargest)),
      encoder_layers(integer_setting(s, "encoder_layers", 1, 1000)),
      decoder_layers(integer_setting(s, "decoder_layers", 1, 1000)),
      max_positions(integer_setting(s, "max_positions", 1, kLargest)),
      source_vocabulary(integer_setting(s, "source_vocabulary", 1, kLargest)),
      target_vocabulary(integer_setting(s, "target_vocabulary", 1, kLargest)),
      heads(static_cast<int>(integer_setting(s, "heads", 1, 65535))),
      pre_norm(chosen(s, "norm") == "pre"),
      activation(chosen(s, "activation") == "gelu" ? Activation::gelu : Activation::relu),
      tying(Tying::none),
      positions(chosen(s, "positions") == "learned" ? Positions::learned : Positions::sinusoidal),
      decoder_start(chosen(s, "decoder_start") == "zero" ? DecoderStart::zero : DecoderStart::bos),
      layer_norm_epsilon(real_setting(s, "layer_norm_epsilon", 0, 1)) {
  const std::string tied = chosen(s, "tied_embeddings");
  if (tied == "all") tying = Tying::all;
  if (tied == "target") tying = Tying::target;
  if (d_model % heads != 0) {
    throw ModelSettingError({"d_model", "heads"},
                            "d_model {} is not divisible by heads {}; choose heads that divide it", d_model,
                            heads);
  }
  if (tying == Tying::all && source_vocabulary != target_vocabulary) {
    throw ModelSettingError({"tied_embeddings", "source_vocabulary", "target_vocabulary"},
                            "tied_embeddings 'all' needs one vocabulary, but the source has {} pieces and "
                            "the target {}; use 'target' or 'none'",
                            source_vocabulary, target_vocabulary);
  }
}

}  // namespace nmt
