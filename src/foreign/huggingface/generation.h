// The search settings of a Hugging Face transformers model: its generation_config.json.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "foreign/containers/json_file.h"

namespace nmt {

struct Generation {
  std::map<std::string, std::string> decoding;  // settings of nmt translate, except `suppress`
  std::vector<std::int64_t> suppressed;         // ids that translations must not contain
  bool is_renormalized = false;                 // whether the softmax excludes these ids
  std::optional<std::int64_t> first_token;      // first token of all translations
};

/// Reads the settings of `generate`, which older models have in their config.json. Throws Error that names
/// what searches here do not support: sampling, repetition penalties, forced tokens at certain places,
/// forbidden words of several tokens.
Generation read_generation(const JsonFile& file);

}  // namespace nmt
