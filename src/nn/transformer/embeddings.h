// The ends of a stack of layers: embeddings before it, the projection to logits behind it (Vaswani et al.,
// 2017, sections 3.4 and 3.5).
#pragma once

#include <optional>

#include "graph/operations.h"
#include "nn/transformer/layers.h"
#include "nn/transformer/positions.h"
#include "nn/transformer/transformer_config.h"

namespace nmt {

/// What a stack of layers begins with.
struct InputEmbedding {
  /// Embeddings of ids times sqrt(d_model), or another scale, plus positions, with dropout; normalized where
  /// the model has it: [rows, d_model]. `sinusoids`: those of the model, where positions are not learned.
  /// Throws Error where a sequence is longer than learned positions.
  Var operator()(Graph& g, const Tensor& ids, const Sequences& sequences, const TransformerConfig& config,
                 const Sinusoids& sinusoids) const;

  const Parameter* words = nullptr;
  const Parameter* positions = nullptr;  // learned only
  std::optional<LayerNorm> norm;
};

/// The linear layer before the softmax, and the normalization of what the last layer of the decoder gives.
struct OutputProjection {
  /// `words`: the target embedding, which is the matrix of the linear layer, too, where they are tied.
  OutputProjection(Parameters& parameters, const TransformerConfig& config, const Parameter& words);
  Logits operator()(Graph& g, const Var& x) const;

  std::optional<LayerNorm> norm;
  const Parameter& weight;
  const Parameter* bias;  // may be none
};

}  // namespace nmt
