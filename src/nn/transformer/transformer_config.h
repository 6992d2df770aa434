// TransformerConfig: the checked settings of a Transformer.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "nn/input.h"
#include "nn/settings.h"
#include "nn/transformer/positions.h"
#include "tensor/backend.h"

namespace nmt {

/// The place of layer normalization.
enum class Norm : std::uint8_t {
  post,  // after the sum of the residual connection (the paper)
  pre,   // inside the residual branch (The Annotated Transformer)
  both,
  none,
};

/// The sub-layer through which a target token sees the tokens before it.
enum class DecoderLayerKind : std::uint8_t {
  attention,  // masked self-attention (the paper)
  average,    // an average attention network
  ssru,       // a simpler simple recurrent unit
};

/// The number of matrices of a feed-forward network, the width between them, and whether it is gated.
struct FeedForwardSize {
  std::int64_t layers, d_ff;
  bool is_gated = false;

  bool operator==(const FeedForwardSize&) const = default;
};

struct TransformerConfig {
  std::int64_t d_model, encoder_layers, decoder_layers, max_positions, position_offset, source_vocabulary,
      target_vocabulary;
  int heads;
  std::int64_t head_size;
  int kv_heads;            // of keys and values, each of which equally many heads share
  double attention_scale;  // 0: 1 / sqrt(head_size)
  std::int64_t relative_buckets, relative_distance, max_relative_positions;
  FeedForwardSize encoder_feed_forward, decoder_feed_forward, average_feed_forward;
  DecoderLayerKind decoder_layer;
  bool average_gate, ssru_projection;
  Activation activation;
  bool linear_bias;
  Norm norm;
  NormKind norm_kind;
  bool final_norm, embedding_norm;
  double embedding_scale;
  Tying tying;
  bool output_bias;
  Positions positions;
  DecoderStart decoder_start;
  SourceSpecialTokens source_special_tokens;
  Direction source_direction, target_direction;
  std::vector<std::int64_t> decoder_sets;  // number, from 0, of each decoder layer's set of weights
  double layer_norm_epsilon;

  /// Throws ModelSettingError for a value out of range, heads that do not divide d_model though they depend
  /// on it, heads that cannot share keys, a shared matrix for vocabularies of different sizes, or positions
  /// for which there is no table.
  explicit TransformerConfig(const ModelSettings& settings);

  bool has_pre_norm() const { return norm == Norm::pre || norm == Norm::both; }
  bool has_post_norm() const { return norm == Norm::post || norm == Norm::both; }
  /// Returns the width of tables of positions: of a head for rotary ones.
  std::int64_t position_width() const { return positions == Positions::rotary ? head_size : d_model; }
  /// Returns the distance up to which each has vectors of its own in self-attention; 0: there are no vectors.
  std::int64_t farthest_vectors() const { return positions == Positions::shaw ? max_relative_positions : 0; }
  /// Return the width of all heads of an attention, and of all heads of its keys or values.
  std::int64_t attention_width() const { return heads * head_size; }
  std::int64_t key_width() const { return kv_heads * head_size; }
  /// Returns the number of matrices of `key_width` rows that queries, keys and values have together: each as
  /// high as the one of keys.
  std::int64_t attention_parts() const { return heads / kv_heads + 2; }
  /// Returns the length of the longest sequence if positions are learned.
  std::optional<std::int64_t> longest_sequence() const {
    if (positions != Positions::learned) return std::nullopt;
    return max_positions - position_offset;
  }
  /// Whether the network of averages has its last matrix, which restores the width d_model.
  bool has_average_output() const {
    return average_feed_forward.layers > 1 && average_feed_forward.d_ff != d_model;
  }
};

/// Replaces `auto` in complete settings by the value that it stands for, and kv_heads by 0 unless heads share
/// keys.
ModelSettings without_auto(ModelSettings settings);

/// Returns the settings of a Transformer, except `type`.
const std::vector<ModelKey>& transformer_keys();

}  // namespace nmt
