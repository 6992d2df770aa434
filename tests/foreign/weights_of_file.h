// What a test looks at of a model that was read.
#pragma once

#include <cstring>
#include <string>
#include <vector>

#include "nn/files/model_file.h"

namespace nmt::testing {

/// A weight of a model, a row behind the other; empty where there is none of that name.
inline std::vector<float> weight(const ModelFile& file, const std::string& name) {
  const FileTensor* tensor = file.find(name);
  if (tensor == nullptr) return {};
  std::vector<float> values(tensor->bytes() / sizeof(float));
  std::memcpy(values.data(), tensor->data, tensor->bytes());
  return values;
}

}  // namespace nmt::testing
