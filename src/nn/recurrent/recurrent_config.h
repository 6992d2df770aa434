// RecurrentConfig: the checked settings of a recurrent encoder-decoder.
#pragma once

#include <cstdint>
#include <vector>

#include "nn/input.h"
#include "nn/settings.h"
#include "tensor/operations/recurrent.h"

namespace nmt {

/// The directions of the layers of an encoder.
enum class EncoderDirections : std::uint8_t {
  bidirectional,      // two stacks of layers, one from left to right and one from right to left
  bi_unidirectional,  // a bidirectional first layer, the layers above from left to right
  alternating,        // two stacks, in which each layer runs in the opposite direction of the layer below
};

/// The attention of a decoder: the energy of an annotation y for the state s, and the place of the attention.
enum class AlignmentScore : std::uint8_t {
  additive,  // v . tanh(W s + U y), within the first layer (Bahdanau et al., 2015)
  dot,       // s . y, after the last layer like the following scores (Luong et al., 2015, section 3.1)
  general,   // s . W y
  concat,    // v . tanh(W s + U y)
};

struct RecurrentConfig {
  std::int64_t d_embedding, d_state, encoder_d_state, encoder_layers, decoder_layers, source_vocabulary,
      target_vocabulary;
  std::int64_t encoder_transition_depth, decoder_base_transition_depth, decoder_high_transition_depth;
  RecurrentCell encoder_cell, decoder_cell;
  EncoderDirections encoder_directions;
  AlignmentScore attention;
  bool input_feeding;
  bool skip_connections, layer_normalization;
  double layer_norm_epsilon;
  Tying tying;
  bool output_bias;
  DecoderStart decoder_start;
  Direction source_direction, target_direction;

  /// Throws ModelSettingError for a value out of range, a shared matrix for vocabularies of different sizes,
  /// or settings that contradict each other.
  explicit RecurrentConfig(const ModelSettings& settings);

  /// Returns the number of encoder layers that run in both directions side by side.
  std::int64_t bidirectional_layers() const {
    return encoder_directions == EncoderDirections::bi_unidirectional ? 1 : encoder_layers;
  }
  /// Returns the number of columns of the encoder's output.
  std::int64_t encoder_width() const {
    return bidirectional_layers() == encoder_layers ? 2 * encoder_d_state : encoder_d_state;
  }
};

/// Returns the settings of a recurrent model, except `type`.
const std::vector<ModelKey>& recurrent_keys();

}  // namespace nmt
