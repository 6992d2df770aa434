// Reads YAML files of any structure.
#pragma once

#include <yaml-cpp/yaml.h>

#include <string>

namespace nmt {

struct YamlDocument {
  std::string text;
  YAML::Node root;  // null if the file is empty
};

/// Reads a file. Throws UsageError with file and line if it cannot be read, is longer than kLongestConfig
/// (nn/settings.h), or is not UTF-8 or not one document of YAML.
YamlDocument read_yaml_document(const std::string& path);

}  // namespace nmt
