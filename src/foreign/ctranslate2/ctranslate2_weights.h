// The weights of a Transformer of CTranslate2 as a model here has them.
#pragma once

#include <map>
#include <string>

#include "foreign/weight_source.h"
#include "nn/settings.h"

namespace nmt {

/// Adds to the settings what weights tell: which tables of words are equal, and so one, and positions, which
/// are learned where they stand in a table that is none of those which models here compute.
/// `one_vocabulary`: both sides have one, so that their tables may be one.
void add_settings_of_weights(ForeignTensors& tensors, bool one_vocabulary, ModelSettings& settings);

/// Sources of all parameters of a model of these settings, which are complete. Throws Error where a tensor is
/// missing.
std::map<std::string, WeightSource> ctranslate2_weights(ForeignTensors& tensors,
                                                        const ModelSettings& settings);

}  // namespace nmt
