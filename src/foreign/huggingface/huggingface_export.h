// Exports models to Hugging Face transformers.
#pragma once

#include <string>

#include "nn/files/model_file.h"

namespace nmt {

/// Writes the files for `from_pretrained` of transformers into an existing folder: config.json,
/// generation_config.json, model.safetensors with weights of the types that they have here, and the files of
/// a tokenizer. Throws Error that names what transformers does not support, and if a file cannot be written.
void export_to_huggingface(const ModelFile& file, const std::string& folder);

}  // namespace nmt
