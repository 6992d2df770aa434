// Models written in the form of another toolkit.
#pragma once

#include <string>
#include <vector>

#include "nn/files/model_file.h"

namespace nmt {

/// The toolkits that models can be written for, as users name them: "huggingface", "marian".
std::vector<std::string> export_toolkits();

/// Writes a model as one of these toolkits has it into a folder, which appears whole; `overwrite`: for one
/// that has files. Throws Error that names what the toolkit's form cannot hold, and as AtomicFolder does.
void export_model(const ModelFile& file, const std::string& toolkit, const std::string& folder,
                  bool overwrite);

}  // namespace nmt
