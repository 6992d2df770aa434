// A YAML file of settings as plain data, each piece with its file and line.
#pragma once

#include <map>
#include <string>
#include <vector>

namespace nmt {

/// `name: value`, `name: [values]` or, at the top level, `name: {members}`.
struct YamlSetting {
  enum class Kind { value, list, mapping };
  struct Value {
    std::string text;
    std::string where;
  };

  std::string name;   // as written
  std::string where;  // "run.yml:3"
  std::string line;   // its text, without blanks around it
  Kind kind = Kind::value;
  std::vector<Value> values = {};         // one, or those of a list
  std::vector<YamlSetting> members = {};  // of a mapping at the top level; deeper ones are not followed
};

/// The settings of a file in its order; none when it is empty. Throws UsageError with file and line when it
/// cannot be read, is longer than kLongestConfig (nn/settings.h), is not UTF-8 or not YAML, holds anything
/// but one mapping, names a setting twice (`-` and `_` count as equal) or leaves a value out.
std::vector<YamlSetting> read_yaml_settings(const std::string& path);

/// The texts of their values by dashed name, members of sections among the others. Throws as
/// read_yaml_settings().
std::map<std::string, std::vector<std::string>> flat_yaml_settings(const std::string& path);

}  // namespace nmt
