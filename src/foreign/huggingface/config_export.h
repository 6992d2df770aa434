// The settings of a model as Hugging Face transformers has them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "foreign/huggingface/huggingface_settings.h"
#include "nn/settings.h"

namespace nmt {

/// The family of transformers that has a model of these settings, which are complete. Throws Error that tells
/// the first setting that none has.
HuggingFaceFamily family_for(const ModelSettings& settings);

/// What else a config.json tells.
struct ConfigFacts {
  std::int64_t source_rows = 0, target_rows = 0;  // of the tables
  std::int64_t positions = 0;                     // the most that a sequence has
  std::int64_t padding = 0, end = 0, unknown = 0;
  std::optional<std::int64_t> start;  // what the decoder begins with; none: the user names a language
  std::optional<std::int64_t> first;  // what all translations begin with
  std::string type;                   // of the weights: "float32"
};

/// The text of config.json.
std::string config_json(const ModelSettings& settings, HuggingFaceFamily family, const ConfigFacts& facts);
/// The text of generation_config.json: how nmt translate searches with the model by itself, as far as
/// transformers searches so.
std::string generation_json(const DecodingSettings& decoding, HuggingFaceFamily family,
                            const ConfigFacts& facts);

}  // namespace nmt
