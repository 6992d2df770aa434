// Plain values of a pickle as JSON.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "foreign/containers/pytorch/pickle.h"

namespace nmt {

/// Returns the entry of a dictionary; None if there is none, and if the value is not a dictionary.
PickledValue entry_of(const PickledValue& value, std::string_view key);

/// Returns a value as JSON: an object as its attributes, or if it has none, as its only argument, like a
/// constant of an enumeration; values of OmegaConf as what they contain; tensors, functions and classes as
/// null. Throws Error, which calls the file `path`, if there is far more than settings need.
nlohmann::json as_json(const PickledValue& value, const std::string& path);

}  // namespace nmt
