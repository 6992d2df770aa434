// Converts the settings of recurrent models from and to Marian.
#pragma once

#include <string>
#include <vector>

#include "foreign/correspondence.h"
#include "foreign/marian/marian_settings.h"
#include "nn/settings.h"

namespace nmt {

/// Returns all weights of a model of type rnn of these settings, which are complete, under the names of
/// Marian's type s2s. Matrices of Marian are [in, out]; the gates of a GRU are in two tensors, those of an
/// LSTM are in the order f, i, g, o.
std::vector<Correspondence> marian_recurrent_names(const ModelSettings& settings);

/// Returns the name of a tensor of type s2s in Marian's older type amun; most names are equal.
std::string amun_name(const std::string& name);

/// Whether a Marian type is a recurrent model that nmt supports.
bool is_recurrent_type(const std::string& type);

/// Returns the settings of nmt's model of type rnn that computes the same as a Marian model of a recurrent
/// type, except for vocabulary sizes. Throws Error that names what nmt does not support, such as other kinds
/// of cells.
ModelSettings marian_recurrent_settings(const MarianYaml& yaml);

/// Returns the Marian settings, of type s2s, for nmt's model of type rnn. Throws Error that calls the model
/// `name` and names the first setting that Marian's format does not support.
std::string marian_recurrent_config_of(const ModelSettings& settings, const std::string& name);

}  // namespace nmt
