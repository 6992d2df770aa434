// Values of a model that tests check.
#pragma once

#include <cstring>
#include <string>
#include <vector>

#include "nn/files/model_file.h"

namespace nmt::testing {

/// Returns a weight of a model, row after row; empty if it does not exist.
inline std::vector<float> weight(const ModelFile& file, const std::string& name) {
  const FileTensor* tensor = file.find(name);
  if (tensor == nullptr) return {};
  std::vector<float> values(tensor->bytes() / sizeof(float));
  std::memcpy(values.data(), tensor->read().data(), tensor->bytes());
  return values;
}

}  // namespace nmt::testing
