// Marian's names for the weights of a recurrent model.
#pragma once

#include <string>
#include <vector>

#include "foreign/correspondence.h"
#include "nn/settings.h"

namespace nmt {

/// Returns all weights of a model of type rnn of these settings, which are complete, under the names of
/// Marian's type s2s. Matrices of Marian are [in, out]; the gates of a GRU are in two tensors, those of an
/// LSTM are in the order f, i, g, o.
std::vector<Correspondence> marian_recurrent_names(const ModelSettings& settings);

/// Returns the name of a tensor in Marian's type amun, which is older than s2s; mostly the same name.
std::string amun_name(const std::string& name);

}  // namespace nmt
