// The settings of a model of CTranslate2, as its variables tell them.
#pragma once

#include <cstdint>
#include <string>

#include "foreign/ctranslate2/ctranslate2_attributes.h"
#include "foreign/ctranslate2/ctranslate2_config.h"
#include "nn/settings.h"

namespace nmt {

/// The settings of a Transformer here that computes what CTranslate2 does, but for its positions, and which
/// tables of words are one. `spec`: what model.bin says that it is. Throws Error that names what a model here
/// cannot have, such as convolutions, gates, rotary positions, or no encoder.
ModelSettings ctranslate2_settings(ForeignTensors& tensors, const std::string& spec,
                                   const CTranslate2Config& config);

/// The name of the table of source words.
std::string ctranslate2_source_table(const ForeignTensors& tensors);

/// The number of an activation in CTranslate2's files; throws UsageError for one that is none here.
std::int64_t ctranslate2_activation(const std::string& name);

}  // namespace nmt
