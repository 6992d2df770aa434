// Marian's operations around layers, one letter each: d dropout, a a residual connection, n layer
// normalization, r RMSNorm.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "foreign/layer_variants.h"

namespace nmt {

/// Marian's options for the operations before and after a sub-layer.
inline constexpr const char *kMarianBefore = "transformer-preprocess",
                            *kMarianBehind = "transformer-postprocess";

/// Returns the options for the operations at all places.
std::vector<ToolkitOption> operation_options();

/// Returns Marian's operations at the place to which a setting of nmt's models refers.
std::string marian_operations(const ModelSettings& settings, const std::string& key);

/// Returns the value of the setting `norm_kind` for the operations at all places; nothing if there are two
/// kinds.
std::optional<std::string> kind_of_operations(const std::string& operations);

/// Returns the value of the setting `norm` for the operations before and after a sub-layer; nothing if nmt
/// does not have these operations. Dropout and the kind of normalization make no difference.
std::optional<std::string> norm_of_operations(const std::string& before, const std::string& behind);

/// Returns the value of a setting for the operations at the place of its option; nothing if nmt does
/// not have them there. Dropout and the kind of normalization make no difference.
std::optional<std::string> value_of_operations(const std::string& key, const std::string& operations);

}  // namespace nmt
