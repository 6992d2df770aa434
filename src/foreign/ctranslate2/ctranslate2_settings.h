// The settings of a CTranslate2 model, derived from its variables.
#pragma once

#include <cstdint>
#include <string>

#include "foreign/ctranslate2/ctranslate2_attributes.h"
#include "foreign/ctranslate2/ctranslate2_config.h"
#include "nn/settings.h"

namespace nmt {

/// Returns the settings of a Transformer here that computes what the CTranslate2 model does, except for
/// positions and tied word tables. `spec`: the kind of model in model.bin. Throws Error that names what
/// models here do not support, such as convolutions, gates, rotary positions, or a missing encoder.
ModelSettings ctranslate2_settings(ForeignTensors& tensors, const std::string& spec,
                                   const CTranslate2Config& config);

/// Returns the name of the table of source words.
std::string ctranslate2_source_table(const ForeignTensors& tensors);

}  // namespace nmt
