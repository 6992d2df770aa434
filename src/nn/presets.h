// The presets of the Transformer.
#pragma once

#include <vector>

#include "nn/registry.h"

namespace nmt {

/// transformer-base and transformer-big are the rows of Table 3 of the paper; -small and -tiny are for
/// corpora of tens of thousands of pairs. student-base and -tiny are the students of the Bergamot project
/// (Kim et al., 2019; Bogoychev et al., 2020), which learn from the translations of a larger model.
std::vector<Preset> transformer_presets();

}  // namespace nmt
