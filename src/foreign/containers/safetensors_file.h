// Safetensors files of other toolkits (see nn/files/safetensors.h), with any tensors.
#pragma once

#include <memory>
#include <string>

#include "foreign/containers/tensor_file.h"

namespace nmt {

/// Opens a file. Throws Error if it is not in this format, is damaged, or has elements of an unknown type.
std::unique_ptr<TensorFile> open_safetensors(const std::string& path);

}  // namespace nmt
