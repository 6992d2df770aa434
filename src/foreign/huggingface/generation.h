// How Hugging Face transformers searches with a model: what stands in its generation_config.json.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "foreign/containers/json_file.h"

namespace nmt {

struct Generation {
  std::map<std::string, std::string> decoding;  // settings of nmt translate, but for `suppress`
  std::vector<std::int64_t> suppressed;         // ids that no translation holds
  bool is_renormalized = false;                 // these have no part in the softmax
  std::optional<std::int64_t> first_token;      // that all translations begin with
};

/// Reads the settings of `generate`, which older models have in their config.json. Throws Error that names
/// what searches here do not do: sampling, penalties of repetition, tokens that come at certain places, words
/// of several tokens that must not come.
Generation read_generation(const JsonFile& file);

}  // namespace nmt
