// Converts the weights of an eole Transformer to those of a model here.
#pragma once

#include <map>
#include <string>

#include "foreign/eole/eole_config.h"
#include "foreign/weight_source.h"
#include "nn/settings.h"

namespace nmt {

/// Adds to the settings what follows from the tensors: sizes, tied word tables, and positions. Throws Error
/// if models here do not support them.
void add_settings_of_tensors(ForeignTensors& tensors, const EoleConfig& config, ModelSettings& settings);

/// Returns the sources of all parameters of a model of these settings, which are complete. Throws Error if a
/// tensor is missing.
std::map<std::string, WeightSource> eole_weights(ForeignTensors& tensors, const ModelSettings& settings);

}  // namespace nmt
