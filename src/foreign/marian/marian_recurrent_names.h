// What Marian calls the weights of a recurrent model.
#pragma once

#include <string>
#include <vector>

#include "foreign/correspondence.h"
#include "nn/settings.h"

namespace nmt {

/// All weights of a model of type rnn of these settings, which are complete, under the names of Marian's type
/// s2s. Matrices of Marian are [in, out]; the gates of a GRU are in two tensors, those of an LSTM in the
/// order f, i, g, o.
std::vector<Correspondence> marian_recurrent_names(const ModelSettings& settings);

/// What Marian's type amun, older than s2s, calls a tensor; the same name where there is no other.
std::string amun_name(const std::string& name);

}  // namespace nmt
