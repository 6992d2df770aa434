// Safetensors files of other toolkits (see nn/files/safetensors.h), which hold what they like.
#pragma once

#include <memory>
#include <string>

#include "foreign/containers/tensor_file.h"

namespace nmt {

/// Opens a file. Throws Error when it is no such file, is damaged, or has elements of a type that nmt does
/// not know.
std::unique_ptr<TensorFile> open_safetensors(const std::string& path);

}  // namespace nmt
