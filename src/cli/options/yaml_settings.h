// Reads a YAML settings file as plain data, each piece with its file and line.
#pragma once

#include <map>
#include <string>
#include <vector>

namespace nmt {

/// One setting: `name: value`, `name: [values]` or, at the top level, `name: {members}`.
struct YamlSetting {
  enum class Kind { value, list, mapping };
  struct Value {
    std::string text;
    std::string where;
  };

  std::string name;   // as written
  std::string where;  // "run.yml:3"
  std::string line;   // its text, without spaces around it
  Kind kind = Kind::value;
  std::vector<Value> values = {};         // one value, or the elements of a list
  std::vector<YamlSetting> members = {};  // of a mapping at the top level; deeper mappings are not read
};

/// Returns the settings of a file in order; none if it is empty. Throws UsageError with file and line if the
/// file cannot be read, is longer than kLongestConfig (nn/settings.h), or is not UTF-8 or not YAML. Also
/// throws it if the file contains anything but one mapping, names a setting twice (`-` and `_` count as
/// equal) or leaves a value out.
std::vector<YamlSetting> read_yaml_settings(const std::string& path);

/// Returns the texts of all values by dashed name, including the members of sections. Throws as
/// read_yaml_settings() does.
std::map<std::string, std::vector<std::string>> flat_yaml_settings(const std::string& path);

}  // namespace nmt
