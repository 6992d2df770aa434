// Exports models to Marian.
#pragma once

#include <string>

#include "nn/files/model_file.h"
#include "nn/settings.h"

namespace nmt {

/// Returns the Marian settings (`special:model.yml`, YAML) for a model of these settings, which are complete.
/// Throws Error that calls the model `name` and names the first setting that Marian's format does not
/// support.
std::string marian_config_of(const ModelSettings& settings, const std::string& name);

/// Writes the files for marian-decoder into an existing folder: model.npz, the vocabularies, and decoder.yml,
/// which names them. Throws Error as marian_config_of() does, for a vocabulary that Marian does not support,
/// and if a file cannot be written.
void export_to_marian(const ModelFile& file, const std::string& folder);

}  // namespace nmt
