// The names of the weights of layer normalization in other toolkits.
#pragma once

#include <string>
#include <vector>

#include "foreign/correspondence.h"
#include "foreign/layer_variants.h"
#include "nn/transformer/transformer_config.h"

namespace nmt {

/// Returns the weights of the normalization `ours` of a model, which are called `theirs` in a toolkit, with
/// the name of the weight (such as "bias", "beta" or "ln_bias") in place of {}.
std::vector<Correspondence> norm_weights(Toolkit toolkit, const TransformerConfig& config,
                                         const std::string& ours, const std::string& theirs);

/// Returns the weights of the normalizations that each side has once, outside its layers.
std::vector<Correspondence> side_norm_weights(Toolkit toolkit, const TransformerConfig& config);

/// Returns the settings of such normalizations.
std::vector<std::string> side_norms();
/// Returns the weight of a toolkit that is there, on a side, if such a setting is on.
std::string side_norm_mark(Toolkit toolkit, const std::string& key, const std::string& side);

}  // namespace nmt
