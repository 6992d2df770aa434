// The names of the weights of layer normalization in other toolkits.
#pragma once

#include <string>
#include <vector>

#include "foreign/correspondence.h"
#include "foreign/layer_variants.h"
#include "nn/transformer/transformer_config.h"

namespace nmt {

/// Returns the weights of the normalization that nmt calls `ours` and a toolkit calls `theirs`. In `theirs`,
/// the name of the weight (such as "bias", "beta" or "ln_bias") replaces {}.
std::vector<Correspondence> norm_weights(Toolkit toolkit, const TransformerConfig& config,
                                         const std::string& ours, const std::string& theirs);

/// Returns the weights of the normalizations that each side has once, outside its layers.
std::vector<Correspondence> side_norm_weights(Toolkit toolkit, const TransformerConfig& config);

/// Returns the settings that turn on normalizations outside the layers.
std::vector<std::string> side_norms();
/// Returns the weight that a model of a toolkit has on a side exactly if this setting is on.
std::string side_norm_mark(Toolkit toolkit, const std::string& key, const std::string& side);

}  // namespace nmt
