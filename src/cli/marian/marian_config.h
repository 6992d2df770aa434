// The contents of a Marian configuration, and --marian-config: a configuration as a source of settings.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "cli/marian/marian_option.h"
#include "cli/options/options.h"

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

/// The files of --marian-config, and what their conversion left out.
struct MarianSource {
  std::vector<std::string> files;  // later files override earlier ones
  bool ignores_unmapped = false;
  std::vector<std::string> idle;     // options without a counterpart that do not change the result
  std::vector<std::string> ignored;  // options without a counterpart that change the result
  std::vector<std::string> notes;    // options that are followed in another way with the same purpose
};

/// Adds `--marian-config`, which gives the settings that Marian's program takes from the same file, and
/// `--ignore-unmapped`. Options that the file leaves out have Marian's defaults, except for those of the
/// machine (devices, threads, number formats) and those that the tables call idle. If options without a
/// counterpart change the result, parsing throws UsageError that names all of them, unless they are to be
/// ignored.
void add_marian_options(Options& options, MarianSource& target, MarianProgram program);

/// Logs one line per option that is followed in another way, and one warning that names all options left out.
void warn_of_left_out(const MarianSource& source);

/// Returns the options, with their values, that each `--task` of Marian 1.12 stands for, by task name.
const std::map<std::string, std::map<std::string, std::vector<std::string>>>& marian_tasks();

}  // namespace nmt
