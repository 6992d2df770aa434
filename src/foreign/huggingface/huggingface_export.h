// Exports models to Hugging Face transformers.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "foreign/huggingface/huggingface_settings.h"
#include "nn/files/model_file.h"
#include "nn/settings.h"

namespace nmt {

/// Returns the transformers family that supports a model of these settings, which are complete. Throws
/// NotHeld that calls the model `name` and names what none supports.
HuggingFaceFamily family_for(const ModelSettings& settings, const std::string& name);

/// Values for config.json that do not follow from the settings of a model.
struct ConfigFacts {
  std::int64_t source_rows = 0, target_rows = 0;  // of the tables
  std::int64_t positions = 0;                     // maximum length of a sequence
  std::int64_t padding = 0, end = 0, unknown = 0;
  std::optional<std::int64_t> start;  // first token of the decoder input; none: the user names a language
  std::optional<std::int64_t> first;  // first token of all translations
  std::string type;                   // type of the weights: "float32"
};

/// Returns the text of config.json.
std::string config_json(const ModelSettings& settings, HuggingFaceFamily family, const ConfigFacts& facts);
/// Returns the text of generation_config.json. It has the default search of nmt translate with this model, as
/// far as transformers can express it.
std::string generation_json(const DecodingSettings& decoding, HuggingFaceFamily family,
                            const ConfigFacts& facts);

/// Writes the files for `from_pretrained` of transformers into an existing folder: config.json,
/// generation_config.json, model.safetensors, and the files of a tokenizer. Weights keep their types. Throws
/// Error that names what transformers does not support, and if a file cannot be written.
void export_to_huggingface(const ModelFile& file, const std::string& folder);

}  // namespace nmt
