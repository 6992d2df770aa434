// Marian's names for the weights of a model.
#pragma once

#include <vector>

#include "foreign/correspondence.h"
#include "nn/settings.h"

namespace nmt {

/// Returns all weights of a model of these settings, which are complete. Matrices of Marian are [in, out],
/// the matrices of attention are separate, and both sides share a table of learned positions.
std::vector<Correspondence> marian_names(const ModelSettings& settings);

}  // namespace nmt
