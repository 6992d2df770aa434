// TransformerConfig: the settings of a Transformer, checked.
#pragma once

#include <cstdint>
#include <vector>

#include "nn/settings.h"
#include "tensor/backend.h"

namespace nmt {

enum class Tying : std::uint8_t {
  all,     // one matrix for source, target and output (paper, 3.4)
  target,  // target embedding and output
  none,
};
enum class Positions : std::uint8_t { sinusoidal, learned };
enum class DecoderStart : std::uint8_t { bos, zero };

struct TransformerConfig {
  std::int64_t d_model, d_ff, encoder_layers, decoder_layers, max_positions, source_vocabulary,
      target_vocabulary;
  int heads;
  bool pre_norm;
  Activation activation;
  Tying tying;
  Positions positions;
  DecoderStart decoder_start;
  double layer_norm_epsilon;

  /// Throws ModelSettingError: a value out of range, heads that do not divide d_model, a
  /// shared matrix for vocabularies of different sizes.
  explicit TransformerConfig(const ModelSettings& settings);
};

/// The settings of a Transformer, `type` not among them.
const std::vector<ModelKey>& transformer_keys();

}  // namespace nmt
