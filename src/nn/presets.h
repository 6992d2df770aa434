// The presets of the Transformer.
#pragma once

#include <vector>

#include "nn/registry.h"

namespace nmt {

/// transformer-base and transformer-big are the rows of Table 3 of the paper; -small and -tiny are for
/// corpora of tens of thousands of pairs.
std::vector<Preset> transformer_presets();

}  // namespace nmt
