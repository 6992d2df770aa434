// Marian's operations around layers, one letter each: d dropout, a a residual connection, n normalization.
#pragma once

#include <optional>
#include <string>

namespace nmt {

/// Marian's options for the operations before and after a sub-layer.
inline constexpr const char *kMarianBefore = "transformer-preprocess",
                            *kMarianBehind = "transformer-postprocess";

std::string without_dropout(std::string operations);

/// Returns the value of the setting `norm` for the operations before and after a sub-layer; nothing if
/// models here do not have them. Dropout makes no difference.
std::optional<std::string> norm_of_operations(const std::string& before, const std::string& behind);

/// Returns the value of a setting for the operations at the place of its option; nothing if models here do
/// not have them there. Dropout makes no difference.
std::optional<std::string> value_of_operations(const std::string& key, const std::string& operations);

}  // namespace nmt
