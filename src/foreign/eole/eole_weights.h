// The weights of a Transformer of eole as a model here has them.
#pragma once

#include <map>
#include <string>

#include "foreign/eole/eole_config.h"
#include "foreign/weight_source.h"
#include "nn/settings.h"

namespace nmt {

/// Adds to the settings what the tensors tell: sizes, which tables of words are one, and positions. Throws
/// Error where these are of a kind that no model here has.
void add_settings_of_tensors(ForeignTensors& tensors, const EoleConfig& config, ModelSettings& settings);

/// Sources of all parameters of a model of these settings, which are complete. Throws Error where a tensor is
/// missing.
std::map<std::string, WeightSource> eole_weights(ForeignTensors& tensors, const ModelSettings& settings);

}  // namespace nmt
