// Models of Hugging Face transformers: folders with a config.json, weights, and the files of a tokenizer.
#pragma once

#include <string>

#include "foreign/foreign_model.h"

namespace nmt {

/// Whether `path` is a folder whose config.json names a class of transformers, or cannot be read.
bool is_huggingface_model(const std::string& path);

/// Reads a model. Throws Error if something is missing, damaged, or not supported by nmt; UsageError for an
/// unsupported setting.
ForeignModel read_huggingface_model(const std::string& folder);

}  // namespace nmt
