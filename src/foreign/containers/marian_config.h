// The options of a Marian model, which are stored as a tensor.
#pragma once

#include <string>

#include "foreign/containers/output_tensor.h"

namespace nmt {

/// The name of the tensor with the options.
inline constexpr const char* kMarianConfig = "special:model.yml";

/// Returns the tensor of these options, which are YAML: the bytes of the text and a zero.
inline OutputTensor marian_config_tensor(const std::string& config) {
  return {kMarianConfig, ElementType::i8, {std::ssize(config) + 1}, [config](RowRange) {
            return bytes_of(std::vector<char>(config.c_str(), config.c_str() + config.size() + 1));
          }};
}

}  // namespace nmt
