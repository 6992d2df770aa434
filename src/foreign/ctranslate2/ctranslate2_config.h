// What CTranslate2 adds to a text, and which tokens are special: config.json, and what stood in model.bin
// before version 6.
#pragma once

#include <cstdint>
#include <string>

#include "foreign/ctranslate2/ctranslate2_attributes.h"
#include "foreign/token_lists.h"

namespace nmt {

struct CTranslate2Config {
  TokenNames tokens;
  double layer_norm_epsilon = 1e-5;
};

/// Reads the settings of a model of this version of model.bin: config.json of its folder, where there is one,
/// and its attributes. Throws Error for what is not of the kind that it should be, and where weights are
/// quantised in another way than CTranslate2's own.
CTranslate2Config read_ctranslate2_config(const std::string& folder, std::uint32_t version,
                                          CTranslate2Attributes& attributes);

/// The same as a config.json.
std::string json_of(const CTranslate2Config& config);

}  // namespace nmt
