// The settings in a checkpoint of fairseq.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "foreign/containers/json_file.h"
#include "nn/settings.h"

namespace nmt {

/// The entries of a checkpoint with its settings: a Namespace, or in newer versions a configuration of
/// several parts.
inline constexpr const char *kFairseqArguments = "args", *kFairseqConfig = "cfg";

/// Returns all settings by the names of command-line options ("encoder_layers"), with those of the text in
/// `bpe` and `tokenizer`. `settings`: both entries. Throws Error, which calls the file `name`, if there are
/// none.
JsonFile fairseq_settings(const nlohmann::json& settings, const std::string& name);

/// Returns the settings of a Transformer of nmt that computes what the model does, except for what follows
/// from its tensors and dictionaries. Throws Error that names what nmt does not support.
ModelSettings settings_of_fairseq(const JsonFile& settings);

}  // namespace nmt
