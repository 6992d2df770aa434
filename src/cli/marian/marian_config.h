// The contents of a Marian configuration.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace nmt {

/// Parses a YAML truth value: true, True, TRUE, yes, on and so on; nothing for any other text.
std::optional<bool> marian_truth(const std::string& text);

/// The options of YAML files as Marian reads them: `name: value` and `name: [values]`.
class MarianConfig {
 public:
  struct Entry {
    std::vector<std::string> values;
    std::string where;  // "model.yml:3"
    std::string file;
    bool has_relative_paths = false;  // relative to the folder of the file

    /// Whether the entry of a switch is on.
    bool is_on() const;
  };

  /// Reads the files; later files override earlier ones, and all of them override what `task` stands for.
  /// Throws UsageError as read_yaml_settings() does, for mappings, and for an unknown task.
  explicit MarianConfig(const std::vector<std::string>& files);

  /// Returns all entries by option name.
  const std::map<std::string, Entry>& entries() const { return entries_; }
  /// Returns the entry of an option; null if there is none.
  const Entry* find(const std::string& option) const;
  /// Returns the name of the configuration for messages: the last file.
  const std::string& name() const { return name_; }

 private:
  void read(const std::string& file);
  void expand_tasks();

  std::string name_;
  std::map<std::string, Entry> entries_;
};

}  // namespace nmt
