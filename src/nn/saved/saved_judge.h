// Files with networks that judge translations.
#pragma once

#include <memory>

#include "data/vocabulary/vocabulary.h"
#include "nn/files/model_file.h"
#include "nn/network.h"

namespace nmt {

/// A network that judges translations, such as a COMET model, ready to run on a backend.
struct SavedJudge {
  Vocabulary vocabulary;
  std::unique_ptr<Network> network;
};

/// Loads a network that judges translations onto the device, for inference. Throws Error if the file contains
/// another type of network, or as blank_network() does.
SavedJudge open_judge(const ModelFile& file, Backend& backend);

}  // namespace nmt
