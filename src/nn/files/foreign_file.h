// What files are that no weights of nmt are in.
#pragma once

#include <string_view>

namespace nmt {

/// What a file with these bytes is, as it stands behind "is": "a PyTorch checkpoint". Empty where that cannot
/// be told, or it begins as a safetensors file does.
std::string_view foreign_kind(std::string_view bytes);

}  // namespace nmt
