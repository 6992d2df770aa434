// The options of a model of Marian, which stand among its tensors.
#pragma once

#include <string>

#include "foreign/containers/output_tensor.h"

namespace nmt {

/// What the tensor is called.
inline constexpr const char* kMarianConfig = "special:model.yml";

/// The tensor of these options, YAML: the bytes of the text, and one zero.
inline OutputTensor marian_config_tensor(const std::string& config) {
  return {kMarianConfig, ElementType::i8, {std::ssize(config) + 1}, [config] {
            return bytes_of(std::vector<char>(config.c_str(), config.c_str() + config.size() + 1));
          }};
}

}  // namespace nmt
