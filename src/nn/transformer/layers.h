// The boxes of Figure 1 of "Attention Is All You Need" (Vaswani et al., 2017): small structs with parameters
// that are called with a graph. x is always [rows, d_model], packed. Parameters have the names of PyTorch's
// nn.TransformerEncoderLayer and nn.TransformerDecoderLayer.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "graph/operations.h"
#include "nn/transformer/score_biases.h"
#include "nn/transformer/transformer_config.h"
#include "nn/weights/parameters.h"

namespace nmt {

/// Layer normalization, or RMSNorm, which has no bias (see NormKind).
struct LayerNorm {
  LayerNorm(Parameters& parameters, const std::string& name, const TransformerConfig& config);
  Var operator()(Graph& g, const Var& x) const;
  /// Returns the normalization of x + dropout(h).
  Var of_sum(Graph& g, const Var& x, const Var& h, const Sequences& sequences) const;

  const Parameter& gain;
  const Parameter& bias;  // empty for RMSNorm
  double epsilon;
  NormKind kind;
};

/// The residual connection around a sub-layer f, with dropout of the output of f. The places of layer
/// normalization are settings of the model:
///   post-norm (the paper)                   LayerNorm(x + f(x))
///   pre-norm (The Annotated Transformer)    x + f(LayerNorm(x))
///   both                                    LayerNorm(x + f(LayerNorm(x)))
///   none                                    x + f(x)
struct SublayerConnection {
  /// Adds the parameters of the connection around sub-layer `number`, counted from 1, of the layer `name`.
  SublayerConnection(Parameters& parameters, const std::string& name, int number,
                     const TransformerConfig& config);
  template <class Sublayer>
  Var operator()(Graph& g, const Var& x, const Sequences& sequences, const Sublayer& f) const {
    return (*this)(g, x, x, sequences, f);
  }
  /// Computes the connection of x with f(input) instead of f(x).
  template <class Sublayer>
  Var operator()(Graph& g, const Var& x, const Var& input, const Sequences& sequences,
                 const Sublayer& f) const {
    return sum(g, x, f(pre_norm ? (*pre_norm)(g, input) : input), sequences);
  }
  /// Returns the sum of x and the output h of f, normalized if there is post-norm.
  Var sum(Graph& g, const Var& x, const Var& h, const Sequences& sequences) const;

  std::optional<LayerNorm> pre_norm, post_norm;
};

/// The cache of a decoder: one row per token, and the index of the rows of each hypothesis (see
/// CachedAttention). Without a cache, whole sequences are computed at once.
struct DecoderCache {
  Tensor rows, index;
  explicit operator bool() const { return static_cast<bool>(rows); }
};

/// The positions that self-attention sees if they are not added to embeddings. Layers keep these pointers to
/// parts of their model.
struct AttentionPositions {
  const Sinusoids* rotation = nullptr;  // rotate queries and keys; null: nothing does
  const ScoreBiases* biases = nullptr;  // of the scores; null: there are none
  std::int64_t farthest = 0;  // distance up to which each has vectors of its own; 0: there are no vectors

  ScoreBias bias(const Graph& g, const Sequences& sequences) const {
    return biases == nullptr ? ScoreBias() : biases->at_least(g, sequences.longest_position);
  }
};

/// Multi-head attention (section 3.2.2) in its three uses (3.2.3): encoder self-attention, masked decoder
/// self-attention, encoder-decoder attention.
struct MultiHeadAttention {
  /// `positions`: those of self-attention; there are none by default.
  MultiHeadAttention(Parameters& parameters, const std::string& name, const TransformerConfig& config,
                     const AttentionPositions& positions = {});
  /// Computes self-attention of each sequence; with `causal`, each position sees itself and earlier
  /// positions.
  Var self(Graph& g, const Var& x, const Sequences& sequences, bool causal) const;
  /// Computes queries, keys and values for self-attention, [rows, width + 2 key_width], rotated if positions
  /// are rotary.
  Var query_key_value(Graph& g, const Var& x, const Sequences& sequences) const;
  /// Computes attention of one new row per hypothesis over its past and itself. Inference only.
  Var cached(Graph& g, const Var& x, const Sequences& sequences, const DecoderCache& cache) const;
  /// See CausalSublayer: cached() if there is a cache, else self() with `causal`.
  Var input(Graph& /*g*/, const Var& x, const Sequences& /*sequences*/, const DecoderCache& /*cache*/) const {
    return x;
  }
  Var causal(Graph& g, const Var& x, const Var& h, const Sequences& sequences,
             const DecoderCache& cache) const;
  /// Allocates a cache for `rows` tokens: keys and values, [rows, 2 key_width].
  Tensor cache(const Graph& g, std::int64_t rows) const { return g.allocate(rows, 2 * key_width); }
  /// Returns the keys and values of the encoder's output: [rows, 2 key_width].
  Var key_value(Graph& g, const Var& memory) const;
  /// Computes attention with queries from the decoder, and keys and values from key_value().
  Var cross(Graph& g, const Var& x, const Sequences& sequences, const Var& key_value,
            const SequenceOffsets& keys) const;

  const Parameter& in_proj_weight;   // [width + 2 key_width, d_model], in parts of key_width rows: those of
                                     // queries, then a part of keys and one of values
  const Parameter& in_proj_bias;     // empty without biases, as the next one
  const Parameter& out_proj_weight;  // [d_model, width]
  const Parameter& out_proj_bias;
  std::int64_t width, key_width;  // of all heads of queries, and of keys or values
  const Parameter&
      relative_keys;  // [2 farthest + 1, width of a head]; empty without vectors, as the next one
  const Parameter& relative_values;
  AttentionHeads heads;
  AttentionPositions positions;
};

/// Computes x W^T + b, or x W^T for models without biases.
struct LinearLayer {
  LinearLayer(Parameters& parameters, const std::string& name, std::int64_t out, std::int64_t in,
              const TransformerConfig& config);
  Var operator()(Graph& g, const Var& x) const;

  const Parameter& weight;
  const Parameter& bias;  // may be empty
};

/// The feed-forward network (section 3.3): FFN(x) = activation(x W1 + b1) W2 + b2. Variants have more or
/// fewer matrices, with the activation between them, or no last matrix. A gated network (Shazeer, 2020) is
/// (activation(x W1 + b1) * (x V + c)) W2 + b2; the product is element by element.
struct FeedForward {
  FeedForward(Parameters& parameters, const std::string& name, const FeedForwardSize& size,
              const TransformerConfig& config, bool has_output = true);
  Var operator()(Graph& g, const Var& x, const Sequences& sequences) const;

  std::vector<LinearLayer> hidden;
  std::optional<LinearLayer> gated;  // V
  std::optional<LinearLayer> output;
  Activation activation;
};

/// The average attention network (Zhang et al., 2018), which replaces masked self-attention, in Marian's
/// form: sigmoid(x Wi + bi) x + sigmoid(y Wf + bf) y, or just y without gates, where y = FFN(mean of x and
/// all rows before it). FFN has no last matrix if the input of this matrix is d_model wide.
struct AverageAttention {
  AverageAttention(Parameters& parameters, const std::string& name, const TransformerConfig& config);
  /// See CausalSublayer: the input is the mean, so that pre-normalization applies to the mean only.
  Var input(Graph& g, const Var& x, const Sequences& sequences, const DecoderCache& cache) const;
  Var causal(Graph& g, const Var& x, const Var& h, const Sequences& sequences,
             const DecoderCache& cache) const;
  /// Allocates a cache for `rows` tokens: running sums, [rows, d_model].
  Tensor cache(const Graph& g, std::int64_t rows) const { return g.allocate_sums(rows, d_model); }

  FeedForward feed_forward;
  std::optional<LinearLayer> input_gate, forget_gate;
  std::int64_t d_model;
};

/// A simpler simple recurrent unit (SSRU; Kim et al., 2019), which replaces masked self-attention. Its output
/// is relu(c_t), or a linear layer of relu(c_t), where
///   f_t = sigmoid(x_t Wf + bf) and c_t = f_t c_{t-1} + (1 - f_t) x_t W.
struct Ssru {
  Ssru(Parameters& parameters, const std::string& name, const TransformerConfig& config);
  /// See CausalSublayer.
  Var input(Graph& /*g*/, const Var& x, const Sequences& /*sequences*/, const DecoderCache& /*cache*/) const {
    return x;
  }
  Var causal(Graph& g, const Var& x, const Var& h, const Sequences& sequences,
             const DecoderCache& cache) const;
  /// Allocates a cache for `rows` tokens: states c, [rows, d_model].
  Tensor cache(const Graph& g, std::int64_t rows) const { return g.allocate_sums(rows, d_model); }

  const Parameter& in_proj_weight;  // [d_model, d_model]
  LinearLayer forget_gate;
  std::optional<LinearLayer> out_proj;
  std::int64_t d_model;
};

/// The sub-layer through which a target token sees the tokens before it. input() returns the input h of the
/// sub-layer, which pre-norm normalizes instead of x. causal() returns the output of the sub-layer for x and
/// h. With a cache (inference only), x has one new row per hypothesis, and the cache has the rows before it.
using CausalSublayer = std::variant<MultiHeadAttention, AverageAttention, Ssru>;

/// An encoder layer (Figure 1, left): self-attention, then the feed-forward network, each inside a residual
/// connection.
struct EncoderLayer {
  EncoderLayer(Parameters& parameters, const std::string& name, const TransformerConfig& config,
               const AttentionPositions& positions);
  Var operator()(Graph& g, Var x, const Sequences& sequences) const;

  MultiHeadAttention self_attention;
  FeedForward feed_forward;
  SublayerConnection sublayer1, sublayer2;
};

/// The source as a decoder layer sees it: the result of cross_attention->key_value() for the encoder's
/// output, and the rows of each of its sequences.
struct SourceMemory {
  Var key_value;
  const SequenceOffsets& rows;
};

/// A decoder layer (Figure 1, right): masked self-attention (or its replacement), attention over the
/// encoder's output, the feed-forward network. A layer of a language model has no attention over a source.
struct DecoderLayer {
  /// `sinusoids`: as for EncoderLayer.
  DecoderLayer(Parameters& parameters, const std::string& name, const TransformerConfig& config,
               const AttentionPositions& positions, bool has_source);
  /// Computes the layer. Training and scoring pass whole sequences. Decoding, with a cache, passes one row
  /// per hypothesis, grouped by sentence in `sequences`. `memory`: null without a source; its sequences
  /// correspond to `sequences`.
  Var operator()(Graph& g, Var x, const Sequences& sequences, const SourceMemory* memory,
                 const DecoderCache& cache = {}) const;
  /// Allocates a cache for `rows` tokens.
  Tensor cache(const Graph& g, std::int64_t rows) const;

  CausalSublayer causal;
  std::optional<MultiHeadAttention> cross_attention;
  FeedForward feed_forward;
  std::vector<SublayerConnection> connections;  // one around each sub-layer
};

/// The layers of a decoder; layers that share weights are the same object.
using DecoderLayers = std::vector<std::shared_ptr<const DecoderLayer>>;

/// Creates the layers of the configuration, one object for each set of weights.
DecoderLayers decoder_layers(Parameters& parameters, const TransformerConfig& config,
                             const AttentionPositions& positions, bool has_source);

}  // namespace nmt
