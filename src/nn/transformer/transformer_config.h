// TransformerConfig: the settings of a Transformer, checked.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "nn/direction.h"
#include "nn/input.h"
#include "nn/settings.h"
#include "nn/transformer/positions.h"
#include "nn/tying.h"
#include "tensor/backend.h"

namespace nmt {

/// Where layers are normalized.
enum class Norm : std::uint8_t {
  post,  // after the sum of the residual connection (the paper)
  pre,   // inside of the residual branch (The Annotated Transformer)
  both,
  none,
};

/// How a token of the target sees those before it.
enum class DecoderLayerKind : std::uint8_t {
  attention,  // masked self-attention (the paper)
  average,    // an average attention network
  ssru,       // a simpler simple recurrent unit
};

/// How many matrices a feed-forward network has, and how wide it is between them.
struct FeedForwardSize {
  std::int64_t layers, d_ff;

  bool operator==(const FeedForwardSize&) const = default;
};

struct TransformerConfig {
  std::int64_t d_model, encoder_layers, decoder_layers, max_positions, position_offset, source_vocabulary,
      target_vocabulary;
  int heads;
  FeedForwardSize encoder_feed_forward, decoder_feed_forward, average_feed_forward;
  DecoderLayerKind decoder_layer;
  bool average_gate, ssru_projection;
  Activation activation;
  Norm norm;
  bool final_norm, embedding_norm;
  double embedding_scale;
  Tying tying;
  bool output_bias;
  Positions positions;
  DecoderStart decoder_start;
  SourceSpecialTokens source_special_tokens;
  Direction source_direction, target_direction;
  std::vector<std::int64_t> decoder_sets;  // of weights, from 0: which one each layer of the decoder has
  double layer_norm_epsilon;

  /// Throws ModelSettingError: a value out of range, heads that do not divide d_model, a shared matrix for
  /// vocabularies of different sizes, positions for which there is no table.
  explicit TransformerConfig(const ModelSettings& settings);

  bool has_pre_norm() const { return norm == Norm::pre || norm == Norm::both; }
  bool has_post_norm() const { return norm == Norm::post || norm == Norm::both; }
  /// The longest sequence that there are positions for, where they are learned.
  std::optional<std::int64_t> longest_sequence() const {
    if (positions != Positions::learned) return std::nullopt;
    return max_positions - position_offset;
  }
  /// Whether the network of averages has its last matrix: it makes d_model wide what is not.
  bool has_average_output() const {
    return average_feed_forward.layers > 1 && average_feed_forward.d_ff != d_model;
  }
};

/// The settings of a Transformer, `type` not among them.
const std::vector<ModelKey>& transformer_keys();

}  // namespace nmt
