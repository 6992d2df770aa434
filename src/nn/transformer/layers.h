// The boxes of Figure 1 of "Attention Is All You Need" (Vaswani et al., 2017): small structs that hold
// parameters and are called with a graph. x is always [rows, d_model], packed. Names of parameters are those
// of PyTorch's nn.TransformerEncoderLayer and nn.TransformerDecoderLayer.
#pragma once

#include <cstdint>
#include <string>

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

/// The residual connection around a sub-layer with layer normalization: LayerNorm(x + f(x)) (the paper,
/// post-norm) or x + f(LayerNorm(x)) (The Annotated Transformer, pre-norm), dropout on f's output.
struct SublayerConnection {
  SublayerConnection(Parameters& parameters, const std::string& name, const TransformerConfig& config);
  template <class Sublayer>
  Var operator()(Graph& g, const Var& x, const Sequences& sequences, Sublayer&& f) const {
    if (pre_norm) return residual(g, x, f(norm(g, x)), sequences);
    return add_norm(g, x, f(x), norm.gain, norm.bias, norm.epsilon, sequences);
  }

  LayerNorm norm;
  bool pre_norm;
};

/// Section 3.2.2 in its three uses (3.2.3): encoder self-attention, masked decoder self-attention,
/// encoder-decoder attention.
struct MultiHeadAttention {
  MultiHeadAttention(Parameters& parameters, const std::string& name, const TransformerConfig& config);
  /// Each sequence over itself; with `causal` each position sees itself and those before.
  Var self(Graph& g, const Var& x, const Sequences& sequences, bool causal) const;
  /// One new row a hypothesis over its past in `cache`, [rows, 2 d_model]: see CachedAttention. Inference
  /// only.
  Var cached(Graph& g, const Var& x, const Sequences& sequences, const Tensor& cache,
             const Tensor& index) const;
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

/// Section 3.3: FFN(x) = activation(x W1 + b1) W2 + b2.
struct FeedForward {
  FeedForward(Parameters& parameters, const std::string& name, const TransformerConfig& config);
  Var operator()(Graph& g, const Var& x, const Sequences& sequences) const;

  const Parameter& weight1;
  const Parameter& bias1;
  const Parameter& weight2;
  const Parameter& bias2;
  Activation activation;
};

/// Figure 1, left: self-attention, then the feed-forward network, each inside a residual connection.
struct EncoderLayer {
  EncoderLayer(Parameters& parameters, const std::string& name, const TransformerConfig& config);
  Var operator()(Graph& g, Var x, const Sequences& sequences) const;

  MultiHeadAttention self_attention;
  FeedForward feed_forward;
  SublayerConnection sublayer1, sublayer2;
};

/// Figure 1, right: masked self-attention, attention over the encoder's output, the feed-forward network.
struct DecoderLayer {
  DecoderLayer(Parameters& parameters, const std::string& name, const TransformerConfig& config);
  /// Training and scoring: whole sequences. `memory`: the encoder's output, its sequences parallel to these.
  Var operator()(Graph& g, Var x, const Sequences& sequences, const Var& memory,
                 const SequenceOffsets& memory_rows) const;
  /// Decoding: one row a hypothesis. `sequences` groups the hypotheses by sentence; `memory_key_value` holds
  /// what cross_attention.key_value() gives; see MultiHeadAttention::cached for the rest.
  Var operator()(Graph& g, Var x, const Sequences& sequences, const Var& memory_key_value,
                 const SequenceOffsets& memory_rows, const Tensor& cache, const Tensor& index) const;

  MultiHeadAttention self_attention, cross_attention;
  FeedForward feed_forward;
  SublayerConnection sublayer1, sublayer2, sublayer3;

 private:
  template <class SelfAttention>
  Var run(Graph& g, Var x, const Sequences& sequences, const Var& memory_key_value,
          const SequenceOffsets& memory_rows, SelfAttention&& attend) const;
};

}  // namespace nmt
