// Models of CTranslate2: folders with model.bin, lists of tokens, and from version 6 config.json.
#pragma once

#include <string>

#include "foreign/foreign_model.h"

namespace nmt {

/// Whether `path` is a folder with a model.bin.
bool is_ctranslate2_model(const std::string& path);

/// Reads a model; weights of 8 and 16 bits become real numbers. Throws Error if something is missing,
/// damaged, or not supported by models here; UsageError if that is a setting.
ForeignModel read_ctranslate2_model(const std::string& folder);

}  // namespace nmt
