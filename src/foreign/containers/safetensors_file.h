// Safetensors files of other toolkits.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "foreign/containers/tensor_file.h"
#include "nn/files/safetensors.h"

namespace nmt {

/// Opens a file. Throws Error if it is not in this format, is damaged, or has elements of an unknown type.
std::unique_ptr<TensorFile> open_safetensors(const std::string& path);

/// Writes tensors with distinct names and these metadata, atomically. Calls `make` of each tensor once, one
/// at a time. Throws Error if the file cannot be written.
void write_safetensors(const std::string& path, const std::map<std::string, std::string>& metadata,
                       std::vector<FileTensor> tensors);

}  // namespace nmt
