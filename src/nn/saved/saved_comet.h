// Files with COMET models.
#pragma once

#include <memory>

#include "data/vocabulary/vocabulary.h"
#include "nn/comet/comet_model.h"
#include "nn/files/model_file.h"

namespace nmt {

/// A COMET model that is ready to run on a backend.
struct SavedComet {
  Vocabulary vocabulary;
  std::unique_ptr<CometModel> model;
};

/// Loads a COMET model onto the device, for inference. Throws Error if the file contains another type of
/// network, or as blank_network() does.
SavedComet open_comet(const ModelFile& file, Backend& backend);

}  // namespace nmt
