// The ends of a stack of layers: embeddings before it, the projection to logits after it (Vaswani et al.,
// 2017, sections 3.4 and 3.5).
#pragma once

#include <optional>

#include "graph/operations.h"
#include "nn/transformer/layers.h"
#include "nn/transformer/positions.h"
#include "nn/transformer/transformer_config.h"

namespace nmt {

/// The input of a stack of layers.
struct InputEmbedding {
  /// Returns embeddings of ids times sqrt(d_model), or another scale, plus positions that are added, with
  /// dropout, and normalized if the model asks for it: [rows, d_model]. `sinusoids`: used if positions are
  /// not learned. Throws Error if a sequence is longer than the learned positions.
  Var operator()(Graph& g, const Tensor& ids, const Sequences& sequences, const TransformerConfig& config,
                 const Sinusoids& sinusoids) const;

  const Parameter* words = nullptr;
  const Parameter* positions = nullptr;  // null unless positions are learned
  std::optional<LayerNorm> norm;
};

/// The linear layer before the softmax, and the normalization of the last decoder layer's output.
struct OutputProjection {
  /// `words`: the target embedding, which also is the matrix of the linear layer if they are tied.
  OutputProjection(Parameters& parameters, const TransformerConfig& config, const Parameter& words);
  Logits operator()(Graph& g, const Var& x) const;

  std::optional<LayerNorm> norm;
  const Parameter& weight;
  const Parameter* bias;  // null: none
};

}  // namespace nmt
