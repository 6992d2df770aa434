// What a configuration of Marian says.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace nmt {

/// Reads a truth value as YAML has it: true, True, TRUE, yes, on and so on; none for anything else.
std::optional<bool> marian_truth(const std::string& text);

/// The options of YAML files as Marian reads them: `name: value` and `name: [values]`.
class MarianConfig {
 public:
  struct Entry {
    std::vector<std::string> values;
    std::string where;  // "model.yml:3"
    std::string file;
    bool has_relative_paths = false;  // to the folder of the file

    /// Of a switch.
    bool is_on() const;
  };

  /// Later files override earlier ones; what `task` stands for is overridden by whatever is there. Throws
  /// UsageError as read_yaml_settings(), for mappings, and for a task that there is not.
  explicit MarianConfig(const std::vector<std::string>& files);

  /// By name.
  const std::map<std::string, Entry>& entries() const { return entries_; }
  /// Null where it is not there.
  const Entry* find(const std::string& option) const;
  /// What messages call it: the last file.
  const std::string& name() const { return name_; }

 private:
  void read(const std::string& file);
  void expand_tasks();

  std::string name_;
  std::map<std::string, Entry> entries_;
};

}  // namespace nmt
