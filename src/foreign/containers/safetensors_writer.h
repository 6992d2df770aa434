// Safetensors files for other toolkits (see nn/files/safetensors.h).
#pragma once

#include <map>
#include <string>
#include <vector>

#include "nn/files/safetensors.h"

namespace nmt {

/// Writes tensors, whose names differ, with these metadata, atomically. Bytes that have to be made are made
/// once, those of one tensor at a time. Throws Error where the file cannot be written.
void write_safetensors(const std::string& path, const std::map<std::string, std::string>& metadata,
                       std::vector<FileTensor> tensors);

}  // namespace nmt
