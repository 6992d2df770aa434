// Models of Hugging Face transformers: folders with a config.json, weights, and the files of a tokenizer.
#pragma once

#include <string>

#include "data/vocabulary/languages.h"
#include "foreign/foreign_model.h"

namespace nmt {

/// Whether `path` is a folder whose config.json names a class of transformers, or cannot be read.
bool is_huggingface_model(const std::string& path);

/// Returns the languages that the files of a model name, if they name one pair (FSMT); otherwise both are
/// empty, also if the files cannot be read.
Languages languages_of_huggingface_model(const std::string& folder);

/// Reads a model. Throws Error if something is missing, damaged, or not supported by nmt; UsageError for an
/// unsupported setting.
ForeignModel read_huggingface_model(const std::string& folder);

}  // namespace nmt
