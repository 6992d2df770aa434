// Models of CTranslate2: folders with model.bin, lists of tokens, and from version 6 on config.json.
#pragma once

#include <string>

#include "foreign/foreign_model.h"

namespace nmt {

/// Whether `path` is a folder with a model.bin.
bool is_ctranslate2_model(const std::string& path);

/// Reads it, weights of 8 and 16 bits as the numbers that they stand for. Throws Error where something is
/// missing, damaged, or beyond what models here have; UsageError where that is a setting.
ForeignModel read_ctranslate2_model(const std::string& folder);

}  // namespace nmt
