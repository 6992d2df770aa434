// Models here as models of CTranslate2.
#pragma once

#include <string>

#include "nn/files/model_file.h"

namespace nmt {

/// Writes into an existing folder what CTranslate2 needs: model.bin of version 6, config.json, and the lists
/// of tokens; beside them source.spm and target.spm, which divide text into these, where the vocabularies
/// have such. Weights are of the type that they have in the file. Throws Error that names what CTranslate2's
/// form cannot hold, and where a file cannot be written.
void export_to_ctranslate2(const ModelFile& file, const std::string& folder);

}  // namespace nmt
