// Models here as models of Marian.
#pragma once

#include <string>

#include "nn/files/model_file.h"
#include "nn/settings.h"

namespace nmt {

/// The settings of Marian (`special:model.yml`, YAML) for a model of these, which are complete. Throws Error
/// that calls the model `name` and tells the first setting that Marian's format cannot hold.
std::string marian_config_of(const ModelSettings& settings, const std::string& name);

/// Writes into an existing folder what marian-decoder needs: model.npz, the vocabularies, and decoder.yml,
/// which names them. Throws Error as above, for a vocabulary that Marian has no form for, and where a file
/// cannot be written.
void export_to_marian(const ModelFile& file, const std::string& folder);

}  // namespace nmt
