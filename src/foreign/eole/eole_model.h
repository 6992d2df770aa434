// Models of eole: folders with config.json, vocab.json and model.00.safetensors.
#pragma once

#include <string>

#include "foreign/foreign_model.h"

namespace nmt {

/// Whether `path` is a folder with a vocab.json and a model.00.safetensors.
bool is_eole_model(const std::string& path);

/// Reads a Transformer with encoder and decoder. Throws Error if something is missing, damaged, or not
/// supported by models here; UsageError if that is a setting.
ForeignModel read_eole_model(const std::string& folder);

}  // namespace nmt
