// The boxes of Figure 1 of "Attention Is All You Need" (Vaswani et al., 2017): small structs that hold
// parameters and are called with a graph. x is always [rows, d_model], packed. Names of parameters are those
// of PyTorch's nn.TransformerEncoderLayer and nn.TransformerDecoderLayer.
#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "graph/operations.h"
#include "nn/transformer/transformer_config.h"
#include "nn/weights/parameters.h"

namespace nmt {

struct LayerNorm {
  LayerNorm(Parameters& parameters, const std::string& name, const TransformerConfig& config);
  Var operator()(Graph& g, const Var& x) const;

  const Parameter& gain;
  const Parameter& bias;
  double epsilon;
};

/// The residual connection around a sub-layer with layer normalization after the sum, LayerNorm(x + f(x))
/// (the paper, post-norm), or of what the sub-layer sees, x + f(LayerNorm(x)) (The Annotated Transformer,
/// pre-norm), or at both places, or at none; dropout on f's output.
struct SublayerConnection {
  /// Of a layer of this name, for its sub-layer of this number, from 1.
  SublayerConnection(Parameters& parameters, const std::string& name, int number,
                     const TransformerConfig& config);
  template <class Sublayer>
  Var operator()(Graph& g, const Var& x, const Sequences& sequences, Sublayer&& f) const {
    return after(g, x, f(before(g, x)), sequences);
  }
  /// What the sub-layer sees of x, and what becomes of x with what the sub-layer makes of that.
  Var before(Graph& g, const Var& x) const { return pre_norm ? (*pre_norm)(g, x) : x; }
  Var after(Graph& g, const Var& x, const Var& h, const Sequences& sequences) const;

  std::optional<LayerNorm> pre_norm, post_norm;
};

/// What decoding remembers of the target: a row for each token, and the index that tells which rows are the
/// past of a hypothesis (see CachedAttention). Without it, whole sequences are seen at once.
struct DecoderCache {
  Tensor rows, index;
  explicit operator bool() const { return static_cast<bool>(rows); }
};

/// Section 3.2.2 in its three uses (3.2.3): encoder self-attention, masked decoder self-attention,
/// encoder-decoder attention.
struct MultiHeadAttention {
  MultiHeadAttention(Parameters& parameters, const std::string& name, const TransformerConfig& config);
  /// Each sequence over itself; with `causal` each position sees itself and those before.
  Var self(Graph& g, const Var& x, const Sequences& sequences, bool causal) const;
  /// One new row a hypothesis, over its past and itself. Inference only.
  Var cached(Graph& g, const Var& x, const Sequences& sequences, const DecoderCache& cache) const;
  /// The latter where there is a cache, else the former with `causal`, and the connection around it.
  Var causal(Graph& g, const Var& x, const Sequences& sequences, const SublayerConnection& connection,
             const DecoderCache& cache) const;
  /// Memory for a cache of so many tokens: keys and values, [rows, 2 d_model].
  Tensor cache(const Graph& g, std::int64_t rows) const { return g.allocate(rows, 2 * d_model); }
  /// The keys and values of the encoder's output: [rows, 2 d_model].
  Var key_value(Graph& g, const Var& memory) const;
  /// Queries from the decoder, keys and values from key_value().
  Var cross(Graph& g, const Var& x, const Sequences& sequences, const Var& key_value,
            const SequenceOffsets& keys) const;

  const Parameter& in_proj_weight;  // [3 d_model, d_model], in 3 parts: query, key, value
  const Parameter& in_proj_bias;
  const Parameter& out_proj_weight;
  const Parameter& out_proj_bias;
  std::int64_t d_model;
  int heads;
};

/// x W^T + b.
struct LinearLayer {
  LinearLayer(Parameters& parameters, const std::string& name, std::int64_t out, std::int64_t in);
  Var operator()(Graph& g, const Var& x) const;

  const Parameter& weight;
  const Parameter& bias;
};

/// Section 3.3: FFN(x) = activation(x W1 + b1) W2 + b2, or with another number of matrices, the activation
/// between them; or without the last one.
struct FeedForward {
  FeedForward(Parameters& parameters, const std::string& name, const FeedForwardSize& size,
              const TransformerConfig& config, bool has_output = true);
  Var operator()(Graph& g, const Var& x, const Sequences& sequences) const;

  std::vector<LinearLayer> hidden;
  std::optional<LinearLayer> output;
  Activation activation;
};

/// The average attention network (Zhang et al., 2018), in place of masked self-attention, in Marian's form:
/// with y the network FFN of the mean of x and all rows before it, sigmoid(x Wi + bi) x + sigmoid(y Wf + bf)
/// y, or without gates y. FFN has no last matrix where what comes before is d_model wide.
struct AverageAttention {
  AverageAttention(Parameters& parameters, const std::string& name, const TransformerConfig& config);
  /// With the connection around it, of which the norm before is that of the mean alone; with a cache as
  /// MultiHeadAttention::causal.
  Var causal(Graph& g, const Var& x, const Sequences& sequences, const SublayerConnection& connection,
             const DecoderCache& cache) const;
  /// Memory for a cache of so many tokens: sums so far, [rows, d_model].
  Tensor cache(const Graph& g, std::int64_t rows) const { return g.allocate_sums(rows, d_model); }

  FeedForward feed_forward;
  std::optional<LinearLayer> input_gate, forget_gate;
  std::int64_t d_model;
};

/// A simpler simple recurrent unit (SSRU; Kim et al., 2019), in place of masked self-attention: with f_t =
/// sigmoid(x_t Wf + bf) and c_t = f_t c_{t-1} + (1 - f_t) x_t W, relu(c_t), or a linear layer of that.
struct Ssru {
  Ssru(Parameters& parameters, const std::string& name, const TransformerConfig& config);
  /// With the connection around it; with a cache as MultiHeadAttention::causal.
  Var causal(Graph& g, const Var& x, const Sequences& sequences, const SublayerConnection& connection,
             const DecoderCache& cache) const;
  /// Memory for a cache of so many tokens: states c, [rows, d_model].
  Tensor cache(const Graph& g, std::int64_t rows) const { return g.allocate_sums(rows, d_model); }

  const Parameter& in_proj_weight;  // [d_model, d_model]
  LinearLayer forget_gate;
  std::optional<LinearLayer> out_proj;
  std::int64_t d_model;
};

/// What lets a token of the target see those before it.
using CausalSublayer = std::variant<MultiHeadAttention, AverageAttention, Ssru>;

/// Figure 1, left: self-attention, then the feed-forward network, each inside a residual connection.
struct EncoderLayer {
  EncoderLayer(Parameters& parameters, const std::string& name, const TransformerConfig& config);
  Var operator()(Graph& g, Var x, const Sequences& sequences) const;

  MultiHeadAttention self_attention;
  FeedForward feed_forward;
  SublayerConnection sublayer1, sublayer2;
};

/// Figure 1, right: masked self-attention (or what stands in its place), attention over the encoder's output,
/// the feed-forward network.
struct DecoderLayer {
  DecoderLayer(Parameters& parameters, const std::string& name, const TransformerConfig& config);
  /// Training and scoring see whole sequences. Decoding, with a cache, has one row a hypothesis, and
  /// `sequences` groups them by sentence. `memory`: what cross_attention.key_value() makes of the encoder's
  /// output; its sequences are parallel to these.
  Var operator()(Graph& g, Var x, const Sequences& sequences, const Var& memory,
                 const SequenceOffsets& memory_rows, const DecoderCache& cache = {}) const;
  /// Memory for a cache of so many tokens.
  Tensor cache(const Graph& g, std::int64_t rows) const;

  CausalSublayer causal;
  MultiHeadAttention cross_attention;
  FeedForward feed_forward;
  SublayerConnection sublayer1, sublayer2, sublayer3;
};

/// A layer of a language model: one of a decoder without attention over the encoder's output.
struct LanguageModelLayer {
  LanguageModelLayer(Parameters& parameters, const std::string& name, const TransformerConfig& config);
  /// As that of a decoder.
  Var operator()(Graph& g, Var x, const Sequences& sequences, const DecoderCache& cache = {}) const;
  /// Memory for a cache of so many tokens.
  Tensor cache(const Graph& g, std::int64_t rows) const;

  CausalSublayer causal;
  FeedForward feed_forward;
  SublayerConnection sublayer1, sublayer2;
};

/// The layers of a decoder; those that share weights are one.
template <class Layer>
using SharedLayers = std::vector<std::shared_ptr<const Layer>>;

/// As many as the configuration has, of the sets of weights that it names.
template <class Layer>
SharedLayers<Layer> shared_layers(Parameters& parameters, const TransformerConfig& config) {
  std::map<std::int64_t, std::shared_ptr<const Layer>> sets;
  SharedLayers<Layer> layers;
  for (const std::int64_t set : config.decoder_sets) {
    auto& layer = sets[set];
    if (!layer)
      layer = std::make_shared<const Layer>(parameters, fmt::format("decoder.layers.{}", set), config);
    layers.push_back(layer);
  }
  return layers;
}

}  // namespace nmt
