// The weights of a model of Marian as a model here has them.
#pragma once

#include <map>
#include <string>

#include "foreign/weight_source.h"
#include "nn/settings.h"

namespace nmt {

/// Adds to the settings what the tensors tell: sizes of the vocabularies, learned positions, and what comes
/// with them.
void add_settings_of_tensors(const ForeignTensors& tensors, ModelSettings& settings);

/// Sources of all parameters of a model of these settings, which are complete. Throws Error where a tensor is
/// missing.
std::map<std::string, WeightSource> marian_weights(ForeignTensors& tensors, const ModelSettings& settings);

}  // namespace nmt
