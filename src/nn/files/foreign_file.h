// Recognizes files that do not contain weights of nmt.
#pragma once

#include <string_view>

namespace nmt {

/// Whether bytes begin like a safetensors file.
bool looks_like_safetensors(std::string_view bytes);

/// Returns the kind of file that begins with these bytes, as a noun phrase for messages: "a PyTorch
/// checkpoint". Empty if unknown, or if the bytes begin like a safetensors file.
std::string_view foreign_kind(std::string_view bytes);

}  // namespace nmt
