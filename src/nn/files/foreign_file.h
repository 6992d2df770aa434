// What files are that no weights of nmt are in.
#pragma once

#include <string_view>

namespace nmt {

/// Whether bytes begin as a safetensors file does.
bool looks_like_safetensors(std::string_view bytes);

/// What a file with these bytes is, as it stands behind "is": "a PyTorch checkpoint". Empty where that cannot
/// be told, or it begins as a safetensors file does.
std::string_view foreign_kind(std::string_view bytes);

}  // namespace nmt
