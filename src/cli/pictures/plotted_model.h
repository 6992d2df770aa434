// A model, or a preset, whose figures pictures show.
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
  ModelSettings settings;               // complete; without sizes of vocabularies in a preset
  ModelSettings training;               // what its configuration tells of its training
  std::optional<std::int64_t> weights;  // how many; none in a preset

  // Learned position embeddings of the source, [max_positions, d_model]; empty where they are sinusoids.
  std::vector<double> learned_positions;

  /// Whether it is a recurrent model, not a Transformer.
  bool is_recurrent() const;
  // Its settings, checked; those of a preset with vocabularies of one piece.
  TransformerConfig config() const;
  RecurrentConfig recurrent_config() const;
  /// A number of its training. Throws Error where the configuration does not tell it, or it is out of range.
  double training_number(const std::string& setting, double most) const;
};

/// What a model file tells, by a name. Throws Error when it is damaged, or not of type transformer or rnn.
PlottedModel plotted_model(const std::string& path, const std::string& name);
/// The preset of this name, which must be one of the registry.
PlottedModel plotted_preset(const std::string& name);

}  // namespace nmt
