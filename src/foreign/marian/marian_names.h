// What Marian calls the weights of a model.
#pragma once

#include <vector>

#include "foreign/correspondence.h"
#include "nn/settings.h"

namespace nmt {

/// All weights of a model of these settings, which are complete. Matrices of Marian are [in, out], those of
/// attention single, and both sides have one table of learned positions.
std::vector<Correspondence> marian_names(const ModelSettings& settings);

}  // namespace nmt
