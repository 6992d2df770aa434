// Converts the weights of a Marian model to those of nmt's model.
#pragma once

#include <map>
#include <string>

#include "foreign/weight_source.h"
#include "nn/settings.h"

namespace nmt {

/// Adds the settings that follow from the tensors: vocabulary sizes, learned positions, and related settings.
void add_settings_of_tensors(const ForeignTensors& tensors, ModelSettings& settings);

/// Returns the sources of all parameters of a model of these settings, which are complete. Throws Error if a
/// tensor is missing.
std::map<std::string, WeightSource> marian_weights(ForeignTensors& tensors, const ModelSettings& settings);

}  // namespace nmt
