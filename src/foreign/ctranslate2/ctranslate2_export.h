// Exports models to CTranslate2.
#pragma once

#include <string>

#include "nn/files/model_file.h"

namespace nmt {

/// Writes a model for CTranslate2 into an existing folder: model.bin of version 6, config.json, and the lists
/// of tokens; also source.spm and target.spm, which divide text into tokens, if the vocabularies have them.
/// Weights keep the type that they have in the file. Throws Error that names what CTranslate2's format does
/// not support, and if a file cannot be written.
void export_to_ctranslate2(const ModelFile& file, const std::string& folder);

}  // namespace nmt
