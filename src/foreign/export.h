// Exports models to other toolkits.
#pragma once

#include <string>
#include <vector>

#include "nn/files/model_file.h"

namespace nmt {

/// Returns the toolkits that models can be exported to, as users name them: "huggingface", "marian".
std::vector<std::string> export_toolkits();

/// Writes a model for one of these toolkits into a folder, which appears complete; `overwrite`: whether the
/// folder may contain files. Throws Error that names what the toolkit's format does not support, and as
/// AtomicFolder does.
void export_model(const ModelFile& file, const std::string& toolkit, const std::string& folder,
                  bool overwrite);

}  // namespace nmt
