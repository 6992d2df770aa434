// Converts the weights of a CTranslate2 Transformer to those of a model here.
#pragma once

#include <map>
#include <string>

#include "foreign/weight_source.h"
#include "nn/settings.h"

namespace nmt {

/// Adds to the settings what follows from the weights: equal word tables are tied, and a table of positions
/// is learned unless it equals one that models here compute. `one_vocabulary`: both sides share a vocabulary,
/// so that their tables may be tied.
void add_settings_of_weights(ForeignTensors& tensors, bool one_vocabulary, ModelSettings& settings);

/// Returns the sources of all parameters of a model of these settings, which are complete. Throws Error if a
/// tensor is missing.
std::map<std::string, WeightSource> ctranslate2_weights(ForeignTensors& tensors,
                                                        const ModelSettings& settings);

}  // namespace nmt
