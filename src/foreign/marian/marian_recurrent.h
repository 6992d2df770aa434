// Converts the settings of recurrent models from and to Marian.
#pragma once

#include <string>

#include "foreign/marian/marian_settings.h"

namespace nmt {

/// Whether a Marian type is a recurrent model that models here support.
bool is_recurrent_type(const std::string& type);

/// Returns the settings of a model of type rnn here that computes what Marian does with such a type, except
/// for vocabulary sizes. Throws Error that names what models here do not support, such as other kinds of
/// cells.
ModelSettings marian_recurrent_settings(const MarianYaml& yaml);

/// Returns the Marian settings, of type s2s, for a model of type rnn here. Throws Error that calls the model
/// `name` and names the first setting that Marian's format does not support.
std::string marian_recurrent_config_of(const ModelSettings& settings, const std::string& name);

}  // namespace nmt
