// The settings of recurrent models, those of Marian as those here and the other way round.
#pragma once

#include <string>

#include "foreign/marian/marian_settings.h"

namespace nmt {

/// Whether a type of Marian is one of recurrent models that models here can be.
bool is_recurrent_type(const std::string& type);

/// The settings of a model of type rnn here that computes what Marian does with one of such a type, but for
/// the sizes of vocabularies. Throws Error that names what a model here cannot have, such as cells of another
/// kind.
ModelSettings marian_recurrent_settings(const MarianYaml& yaml);

/// The settings of Marian, of type s2s, for a model of type rnn here. Throws Error that calls the model
/// `name` and tells the first setting that Marian's format cannot hold.
std::string marian_recurrent_config_of(const ModelSettings& settings, const std::string& name);

}  // namespace nmt
