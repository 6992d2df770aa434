// Checkpoints of training programs for tests: settings and tensors in one pickle.
#pragma once

#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "foreign/containers/torch_bytes.h"
#include "foreign/made_up_tensors.h"

namespace nmt::testing {

/// Returns a dictionary of values that are pickled already.
inline std::string pickled_dict(const std::map<std::string, std::string>& items) {
  std::string bytes = "}(";
  for (const auto& [key, value] : items) bytes += pickled_text(key) + value;
  return bytes + "u";
}

/// Returns an object of a class with these attributes.
inline std::string pickled_object(const std::string& module, const std::string& name,
                                  const std::string& attributes) {
  return pickled_global(module, name) + ")\x81" + attributes + "b";
}

/// Returns a value of JSON.
inline std::string pickled_json(const nlohmann::json& value) {
  if (value.is_boolean()) return value.get<bool>() ? "\x88" : "\x89";
  if (value.is_number_integer()) return pickled_number(value.get<std::int64_t>());
  if (value.is_number()) {
    const std::string bytes = raw(value.get<double>());
    return 'G' + std::string(bytes.rbegin(), bytes.rend());
  }
  if (value.is_string()) return pickled_text(value.get<std::string>());
  if (value.is_array()) {
    std::string bytes = "](";
    for (const nlohmann::json& item : value) bytes += pickled_json(item);
    return bytes + "e";
  }
  if (!value.is_object()) return "N";
  std::map<std::string, std::string> items;
  for (const auto& [key, item] : value.items()) items[key] = pickled_json(item);
  return pickled_dict(items);
}

/// Returns the file of a dictionary whose entry `key` has the tensors; `entries`: the other ones, pickled.
inline std::string training_checkpoint(const std::map<std::string, MadeUpTensor>& tensors,
                                       const std::string& key, std::map<std::string, std::string> entries) {
  std::string model;
  std::vector<TorchStorage> storages;
  for (const auto& [name, tensor] : tensors) {
    const std::string storage = std::to_string(storages.size());
    const auto size = static_cast<std::int64_t>(tensor.values.size());
    std::vector<std::int64_t> strides(tensor.shape.size(), 1);
    for (std::size_t i = strides.size(); i-- > 1;) strides[i - 1] = strides[i] * tensor.shape[i];
    model +=
        pickled_text(name) + pickled_tensor({name, "FloatStorage", storage, size, 0, tensor.shape, strides});
    storages.push_back(
        {storage,
         static_cast<std::uint64_t>(size),
         {reinterpret_cast<const char*>(tensor.values.data()), tensor.values.size() * sizeof(float)}});
  }
  entries[key] = pickled_ordered_dict() + "(" + model + "u";
  return torch_zip(pickle(pickled_dict(entries)), storages);
}

}  // namespace nmt::testing
