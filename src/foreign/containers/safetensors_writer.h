// Safetensors files for other toolkits (see nn/files/safetensors.h).
#pragma once

#include <map>
#include <string>
#include <vector>

#include "nn/files/safetensors.h"

namespace nmt {

/// Writes tensors with distinct names and these metadata, atomically. Calls `make` of each tensor once, one
/// at a time. Throws Error if the file cannot be written.
void write_safetensors(const std::string& path, const std::map<std::string, std::string>& metadata,
                       std::vector<FileTensor> tensors);

}  // namespace nmt
