// The tokens that CTranslate2 adds to a text, and the special tokens: config.json, which model.bin contained
// before version 6.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "foreign/ctranslate2/ctranslate2_attributes.h"
#include "foreign/token_lists.h"

namespace nmt {

struct CTranslate2Config {
  TokenNames tokens;
  std::optional<double> layer_norm_epsilon;  // without it CTranslate2's own, which depends on the kind
};

/// Reads the settings of a model of this version of model.bin: config.json of its folder, if it exists, and
/// its attributes. Throws Error for values of a wrong type, and if weights are quantized in another way than
/// CTranslate2's own.
CTranslate2Config read_ctranslate2_config(const std::string& folder, std::uint32_t version,
                                          CTranslate2Attributes& attributes);

/// Returns the settings as a config.json.
std::string json_of(const CTranslate2Config& config);

}  // namespace nmt
