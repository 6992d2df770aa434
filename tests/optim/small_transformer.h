// A small Transformer, whose updates take little time.
#pragma once

#include <memory>
#include <string>

#include "nn/registry.h"

namespace nmt::testing {

/// Returns a model with vocabularies of 30 tokens and this many layers on each side, without weights.
inline std::unique_ptr<Model> small_transformer(int layers) {
  const ModelRegistry& registry = ModelRegistry::instance();
  const std::string count = std::to_string(layers);
  return registry.make(registry.complete({{"source_vocabulary", "30"},
                                          {"target_vocabulary", "30"},
                                          {"d_model", "16"},
                                          {"d_ff", "32"},
                                          {"heads", "2"},
                                          {"encoder_layers", count},
                                          {"decoder_layers", count}}));
}

}  // namespace nmt::testing
