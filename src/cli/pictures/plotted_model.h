// The figures of a model or a preset for pictures.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "nn/recurrent/recurrent_config.h"
#include "nn/settings.h"
#include "nn/transformer/transformer_config.h"

namespace nmt {

struct PlottedModel {
  std::string name;                     // "model.safetensors", "transformer-base"
  ModelSettings settings;               // complete; a preset has no sizes of vocabularies
  ModelSettings training;               // training settings from its configuration
  std::optional<std::int64_t> weights;  // number of weights; none for a preset

  // Learned position embeddings of the source, [max_positions, d_model]; empty for sinusoids.
  std::vector<double> learned_positions;

  /// Whether it is a recurrent model, not a Transformer.
  bool is_recurrent() const;
  // Returns its checked settings; a preset gets vocabularies of one piece.
  TransformerConfig config() const;
  RecurrentConfig recurrent_config() const;
  /// Returns a number from its training settings. Throws Error if the configuration lacks it, or if it is out
  /// of range.
  double training_number(const std::string& setting, double most) const;
};

/// Reads a model file, called by a name. Throws Error if it is damaged, or not of type transformer or rnn.
PlottedModel plotted_model(const std::string& path, const std::string& name);
/// Returns the preset of this name, which must be in the registry.
PlottedModel plotted_preset(const std::string& name);

}  // namespace nmt
