#include "nn/transformer/transformer_config.h"

#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <numeric>
#include <sstream>

#include "common/error.h"

namespace nmt {
namespace {

constexpr std::int64_t kLargest = 1 << 24;  // keeps every product of two sizes far from overflow
constexpr std::int64_t kMostLayers = 1000, kMostMatrices = 8;

const ModelKey& key_named(const std::string& name) {
  return *std::ranges::find(transformer_keys(), name, &ModelKey::name);
}

template <class Meaning>
Meaning chosen(const ModelSettings& settings, const std::string& name,
               std::initializer_list<Meaning> meanings) {
  return chosen(transformer_keys(), settings, name, meanings);
}

bool yes(const ModelSettings& settings, const std::string& name) {
  return chosen(settings, name, {true, false});
}

/// Reads a setting in which 0 stands for another number.
std::int64_t integer_or(const ModelSettings& settings, const std::string& name, std::int64_t most,
                        std::int64_t otherwise) {
  const std::int64_t value = integer_setting(settings, name, 0, most);
  return value > 0 ? value : otherwise;
}

double embedding_scale_of(const ModelSettings& settings, std::int64_t d_model) {
  if (text_setting(settings, "embedding_scale") == "sqrt") return std::sqrt(static_cast<double>(d_model));
  try {
    return real_setting(settings, "embedding_scale", 1e-6, 1e6);
  } catch (const ModelSettingError& error) {
    throw ModelSettingError(error.names(), "{}, or sqrt", error.what());
  }
}

/// Returns 0 for the usual scale, which depends on the size of heads.
double attention_scale_of(const ModelSettings& settings) {
  if (text_setting(settings, "attention_scale") == "inverse_sqrt") return 0;
  try {
    return real_setting(settings, "attention_scale", 1e-6, 1e6);
  } catch (const ModelSettingError& error) {
    throw ModelSettingError(error.names(), "{}, or inverse_sqrt", error.what());
  }
}

/// Parses a list such as "1 1 2 2", or "none": each layer has its own set of weights.
std::vector<std::int64_t> decoder_sets_of(const ModelSettings& settings, std::int64_t layers) {
  const std::string text = text_setting(settings, "tied_decoder_layers");
  std::vector<std::int64_t> sets(static_cast<std::size_t>(layers));
  std::iota(sets.begin(), sets.end(), 0);
  if (text == "none") return sets;
  std::istringstream numbers(text);
  for (std::int64_t& set : sets) numbers >> set;
  const bool are_there = std::ranges::all_of(sets, [&](auto set) { return set >= 1 && set <= layers; });
  if (!are_there || fmt::format("{}", fmt::join(sets, " ")) != text) {
    throw ModelSettingError({"tied_decoder_layers", "decoder_layers"},
                            "tied_decoder_layers '{}' is not a number from 1 to {} for each of the {} layers "
                            "of the decoder, such as '1 1 2 2', nor none",
                            text, layers, layers);
  }
  for (std::int64_t& set : sets) --set;
  return sets;
}

/// Throws ModelSettingError for buckets without longer distances.
void check_buckets(const TransformerConfig& config) {
  if (config.relative_distance <= config.relative_buckets / 2) {
    throw ModelSettingError({"relative_distance", "relative_buckets"},
                            "relative_distance {} must be above half of relative_buckets {}",
                            config.relative_distance, config.relative_buckets);
  }
}

/// Throws ModelSettingError for positions without a table, or an offset without positions.
void check_positions(const TransformerConfig& config, const ModelSettings& settings) {
  const std::int64_t d = config.d_model;
  if (config.positions == Positions::sinusoidal_halves && d % 2 != 0) {
    throw ModelSettingError({"positions", "d_model"},
                            "positions 'sinusoidal_halves' needs an even d_model, not {}", d);
  }
  if (config.positions == Positions::tensor2tensor && (d % 2 != 0 || d < 4)) {
    throw ModelSettingError({"positions", "d_model"},
                            "positions 'tensor2tensor' needs an even d_model of at least 4, not {}", d);
  }
  if (config.positions == Positions::rotary && config.head_size % 2 != 0) {
    throw ModelSettingError({"positions", "d_model", "heads"},
                            "positions 'rotary' needs heads of an even width (d_model / heads), not {}",
                            config.head_size);
  }
  if (!are_added(config.positions) && config.position_offset != 0) {
    throw ModelSettingError({"position_offset", "positions"},
                            "position_offset {} has no effect with positions '{}'; leave it out",
                            config.position_offset, text_setting(settings, "positions"));
  }
  if (config.positions == Positions::learned && config.position_offset >= config.max_positions) {
    throw ModelSettingError(
        {"position_offset", "max_positions"},
        "position_offset {} must be below max_positions {}; lower it, or raise max_positions",
        config.position_offset, config.max_positions);
  }
}

/// Throws ModelSettingError for a kind of normalization without any normalization.
void check_norm_kind(const TransformerConfig& config) {
  const bool has_norms = config.norm != Norm::none || config.final_norm || config.embedding_norm;
  if (has_norms || config.norm_kind == NormKind::layer) return;
  throw ModelSettingError({"norm_kind", "norm"},
                          "norm_kind 'rms' has no effect with norm 'none'; leave it out");
}

/// Throws ModelSettingError for gates in a network without two matrices.
void check_gates(const TransformerConfig& config) {
  for (const auto& [size, name] : {std::pair{config.encoder_feed_forward, "ffn_layers"},
                                   std::pair{config.decoder_feed_forward, "decoder_ffn_layers"}}) {
    if (!size.is_gated || size.layers == 2) continue;
    throw ModelSettingError({"ffn_gate", name}, "ffn_gate needs two matrices: {} must be 2, not {}", name,
                            size.layers);
  }
}

/// Throws ModelSettingError for settings of layers that would have no effect.
void check_effects(const ModelSettings& settings) {
  for (const char* name : {"average_d_ff", "average_ffn_layers", "average_gate", "ssru_projection",
                           "relative_buckets", "relative_distance", "max_relative_positions"}) {
    const ModelKey& key = key_named(name);
    if (has_effect(key, settings) || text_setting(settings, name) == key.value) continue;
    throw ModelSettingError({name, key.where.setting},
                            "{} is for {} '{}' alone; leave it out, or choose that", name, key.where.setting,
                            key.where.values.front());
  }
}

}  // namespace

const std::vector<ModelKey>& transformer_keys() {
  static const std::vector<ModelKey> keys = {
      {"d_model", "512", "width of the layers"},
      {"d_ff", "2048", "inner width of the feed-forward networks"},
      {"decoder_d_ff", "0", "inner width of the decoder's feed-forward networks. 0 means the value of d_ff."},
      {"ffn_layers", "2", "number of matrices of a feed-forward network, with the activation between them"},
      {"decoder_ffn_layers", "0",
       "number of matrices of the decoder's feed-forward networks. 0 means the value of ffn_layers."},
      {"ffn_gate",
       "false",
       "gated feed-forward networks (Shazeer, 2020): another input matrix, whose result is multiplied by the "
       "activation. With activation swish this is SwiGLU, with gelu GEGLU.",
       {"true", "false"}},
      {"heads", "8", "number of attention heads. Without head_size, it must divide d_model."},
      {"head_size", "0", "width of an attention head. 0 means d_model divided by heads."},
      {"kv_heads", "0",
       "number of heads of keys and values, which groups of attention heads share. It must divide heads. 0 "
       "means the value of heads."},
      {"attention_scale", "inverse_sqrt",
       "factor of the products of queries and keys: inverse_sqrt, for 1 / sqrt(head_size), or a number"},
      {"encoder_layers", "6", "number of encoder layers"},
      {"decoder_layers", "6", "number of decoder layers"},
      {"tied_decoder_layers", "none",
       "set of weights of each decoder layer, such as 1 1 2 2. With none, each layer has its own."},
      {"decoder_layer",
       "attention",
       "how a target token depends on the tokens before it. attention is masked self-attention, average the "
       "average attention network of Zhang et al., 2018, and ssru the recurrent unit of Kim et al., 2019.",
       {"attention", "average", "ssru"}},
      {"average_d_ff",
       "0",
       "inner width of the feed-forward network of the average attention network. 0 means the value of "
       "d_ff.",
       {},
       {"decoder_layer", {"average"}}},
      {"average_ffn_layers",
       "2",
       "number of matrices of the feed-forward network of the average attention network. If average_d_ff "
       "equals d_model, the last one is left out. 1 means no such network.",
       {},
       {"decoder_layer", {"average"}}},
      {"average_gate",
       "true",
       "gates for the token and the average in the average attention network",
       {"true", "false"},
       {"decoder_layer", {"average"}}},
      {"ssru_projection",
       "false",
       "a linear layer after the recurrent unit",
       {"true", "false"},
       {"decoder_layer", {"ssru"}}},
      {"norm",
       "post",
       "position of layer normalization. post is after the residual sum, as in the paper; pre is inside the "
       "residual branch. both and none are possible, too.",
       {"post", "pre", "both", "none"}},
      {"norm_kind",
       "layer",
       "kind of normalization. layer is layer normalization. rms is RMSNorm (Zhang and Sennrich, 2019), "
       "which divides by the root mean square, without means and biases.",
       {"layer", "rms"}},
      {"final_norm",
       "auto",
       "layer normalization after the last layers of encoder and decoder. auto turns it on with norm pre.",
       {"auto", "true", "false"}},
      {"embedding_norm", "false", "layer normalization of embeddings with positions", {"true", "false"}},
      {"activation",
       "relu",
       "activation of the feed-forward networks. gelu is exact; gelu_tanh and gelu_sigmoid, x sigmoid(1.702 "
       "x), approximate it. swish is x sigmoid(x).",
       {"relu", "gelu", "gelu_tanh", "gelu_sigmoid", "swish"}},
      {"linear_bias",
       "true",
       "biases of the linear layers of attention and feed-forward networks",
       {"true", "false"}},
      tying_key(),
      {"output_bias", "true", "a bias of the output layer", {"true", "false"}},
      {"embedding_scale", "sqrt",
       "factor of the embeddings: sqrt, for the square root of d_model, or a number"},
      {"positions",
       "sinusoidal",
       "position embeddings. sinusoidal is as in the paper, sinusoidal_halves has all sines before all "
       "cosines, and tensor2tensor is as in Marian. learned embeddings are trained. rotary is RoPE (Su et "
       "al., 2021). relative is a trained bias of attention by distance (Raffel et al., 2020), and alibi a "
       "bias that falls by a fixed slope (Press et al., 2022). shaw adds trained vectors of distances to "
       "keys "
       "and values (Shaw et al., 2018).",
       {"sinusoidal", "sinusoidal_halves", "tensor2tensor", "learned", "rotary", "relative", "shaw", "alibi",
        "none"}},
      {"relative_buckets",
       "32",
       "number of trained biases of each head with positions relative",
       {},
       {"positions", {"relative"}}},
      {"relative_distance",
       "128",
       "distance from which on all distances have the same bias with positions relative",
       {},
       {"positions", {"relative"}}},
      {"max_relative_positions",
       "16",
       "distance from which on all distances have the same vectors with positions shaw",
       {},
       {"positions", {"shaw"}}},
      {"position_offset",
       "0",
       "position of the first token",
       {},
       {"positions", {"sinusoidal", "sinusoidal_halves", "tensor2tensor", "learned"}}},
      {"decoder_start", "bos", "first decoder input: BOS, a zero vector, or EOS", {"bos", "zero", "eos"}},
      {"source_special_tokens",
       "eos",
       "special tokens around a source. eos puts EOS after it and bos puts BOS before it; both and none are "
       "possible, too.",
       {"eos", "bos", "both", "none"}},
      source_direction_key(),
      target_direction_key(),
      {"max_positions",
       "1024",
       "number of learned positions. The longest sequence must fit, with its special tokens and the "
       "positions before position_offset.",
       {},
       {"positions", {"learned"}}},
      {"layer_norm_epsilon", "1e-06",
       "number added to the variance in layer normalization, and to the mean square in RMSNorm"},
      {"source_vocabulary", "", "number of source pieces. It comes from the vocabulary."},
      {"target_vocabulary", "", "number of target pieces. It comes from the vocabulary."},
  };
  return keys;
}

TransformerConfig::TransformerConfig(const ModelSettings& s)
    : d_model(integer_setting(s, "d_model", 1, kLargest)),
      encoder_layers(integer_setting(s, "encoder_layers", 1, kMostLayers)),
      decoder_layers(integer_setting(s, "decoder_layers", 1, kMostLayers)),
      max_positions(integer_setting(s, "max_positions", 1, kLargest)),
      position_offset(integer_setting(s, "position_offset", 0, kLargest)),
      source_vocabulary(integer_setting(s, "source_vocabulary", 1, kLargest)),
      target_vocabulary(integer_setting(s, "target_vocabulary", 1, kLargest)),
      heads(static_cast<int>(integer_setting(s, "heads", 1, 65535))),
      head_size(integer_or(s, "head_size", kLargest / heads, d_model / heads)),
      kv_heads(static_cast<int>(integer_or(s, "kv_heads", heads, heads))),
      attention_scale(attention_scale_of(s)),
      relative_buckets(integer_setting(s, "relative_buckets", 4, 1 << 16)),
      relative_distance(integer_setting(s, "relative_distance", 3, 1 << 20)),
      max_relative_positions(integer_setting(s, "max_relative_positions", 1, 1 << 12)),
      encoder_feed_forward{integer_setting(s, "ffn_layers", 1, kMostMatrices),
                           integer_setting(s, "d_ff", 1, kLargest), yes(s, "ffn_gate")},
      decoder_feed_forward{integer_or(s, "decoder_ffn_layers", kMostMatrices, encoder_feed_forward.layers),
                           integer_or(s, "decoder_d_ff", kLargest, encoder_feed_forward.d_ff),
                           encoder_feed_forward.is_gated},
      average_feed_forward{integer_setting(s, "average_ffn_layers", 1, kMostMatrices),
                           integer_or(s, "average_d_ff", kLargest, encoder_feed_forward.d_ff)},
      decoder_layer(chosen(s, "decoder_layer",
                           {DecoderLayerKind::attention, DecoderLayerKind::average, DecoderLayerKind::ssru})),
      average_gate(yes(s, "average_gate")),
      ssru_projection(yes(s, "ssru_projection")),
      activation(chosen(s, "activation",
                        {Activation::relu, Activation::gelu, Activation::gelu_tanh, Activation::gelu_sigmoid,
                         Activation::swish})),
      linear_bias(yes(s, "linear_bias")),
      norm(chosen(s, "norm", {Norm::post, Norm::pre, Norm::both, Norm::none})),
      norm_kind(chosen(s, "norm_kind", {NormKind::layer, NormKind::rms})),
      final_norm(chosen(s, "final_norm", {norm == Norm::pre, true, false})),
      embedding_norm(yes(s, "embedding_norm")),
      embedding_scale(embedding_scale_of(s, d_model)),
      tying(tying_of(s)),
      output_bias(yes(s, "output_bias")),
      positions(chosen(
          s, "positions",
          {Positions::sinusoidal, Positions::sinusoidal_halves, Positions::tensor2tensor, Positions::learned,
           Positions::rotary, Positions::relative, Positions::shaw, Positions::alibi, Positions::none})),
      decoder_start(chosen(s, "decoder_start", {DecoderStart::bos, DecoderStart::zero, DecoderStart::eos})),
      source_special_tokens(chosen(s, "source_special_tokens",
                                   {SourceSpecialTokens::eos, SourceSpecialTokens::bos,
                                    SourceSpecialTokens::both, SourceSpecialTokens::none})),
      source_direction(source_direction_of(s)),
      target_direction(target_direction_of(s)),
      decoder_sets(decoder_sets_of(s, decoder_layers)),
      layer_norm_epsilon(real_setting(s, "layer_norm_epsilon", 0, 1)) {
  if (integer_setting(s, "head_size", 0, kLargest) == 0 && d_model % heads != 0) {
    throw ModelSettingError({"d_model", "heads"},
                            "d_model {} is not divisible by heads {}; choose heads that divide it, or "
                            "a head_size",
                            d_model, heads);
  }
  if (heads % kv_heads != 0) {
    throw ModelSettingError({"kv_heads", "heads"}, "kv_heads {} does not divide heads {}; choose a divisor",
                            kv_heads, heads);
  }
  check_effects(s);
  check_buckets(*this);
  check_positions(*this, s);
  check_norm_kind(*this);
  check_gates(*this);
}

ModelSettings without_auto(ModelSettings settings) {
  const TransformerConfig config(settings);
  settings["final_norm"] = config.final_norm ? "true" : "false";
  if (config.kv_heads == config.heads) settings["kv_heads"] = "0";
  return settings;
}

}  // namespace nmt
