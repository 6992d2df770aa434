// YAML files of other toolkits.
#pragma once

#include <string>

#include "foreign/containers/json_file.h"

namespace nmt {

/// Reads a YAML file, a mapping at its top level, as the equal JSON. Throws Error if it is missing, is not
/// YAML or not a mapping, or is far longer than such files are.
JsonFile read_yaml_file(const std::string& path);

}  // namespace nmt
