// The settings of a subcommand as one table: it parses the command line and YAML files, checks values, prints
// --help, and writes the resolved configuration.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace nmt::cli {

/// A name and its meaning in a table of named values ("post", "pre").
using Choices = std::vector<std::string>;

/// One setting. `-` and `_` are interchangeable in names. Filled in by Options::add and the chained calls
/// below.
class Option {
 public:
  /// The value must be given.
  Option& required();
  /// Inclusive limits of a number.
  Option& range(double least, double most);
  /// The only texts allowed.
  Option& choices(Choices allowed);
  /// Lives under this section of YAML files ("model"); on the command line it is flat all the same.
  Option& section(std::string name);
  /// Not accepted from YAML and not part of the resolved configuration (paths of outputs, --config itself).
  Option& command_line_only();
  /// Heading under which --help lists it.
  Option& group(std::string heading);

 private:
  friend class Options;
  std::string name_;        // canonical, with dashes
  char letter_ = 0;         // -o
  std::string value_name_;  // shown in help: FILE, N
  std::string help_;
  std::string default_;  // shown in help
  std::string section_, group_;
  Choices choices_;
  std::optional<double> least_, most_;
  bool required_ = false, command_line_only_ = false, is_flag_ = false, is_list_ = false, given_ = false;
  std::function<void(const std::string&)>
      assign_;  // parses one value; throws UsageError without naming the option
  std::function<std::vector<std::string>()> values_;  // current values as text
  std::function<void()> clear_;                       // lists: forget values of a weaker source
};

class Options {
 public:
  /// `command`: "nmt bleu"; `usage`: "reference [reference ...] < hypothesis"; `summary`: one sentence;
  /// `example`: one command line that works.
  Options(std::string command, std::string usage, std::string summary, std::string example);

  /// Adds a setting bound to `target`, whose present value is the default. `names`: "beam", or "output,o".
  /// Types: std::string, int, std::int64_t, std::uint64_t, double, bool (true|false),
  /// std::vector<std::string> (repeatable), std::optional of the first five. The reference stays valid until
  /// the next add.
  template <class T>
  Option& add(const std::string& names, T& target, const std::string& value_name, const std::string& help);
  /// A switch without a value; `--no-NAME` turns it off again (over a YAML file).
  Option& flag(const std::string& names, bool& target, const std::string& help);
  /// Arguments without a name; at least `least` and at most `most` of them.
  void positional(std::vector<std::string>& target, const std::string& value_name, const std::string& help,
                  int least, int most);
  /// Lets `--config FILE` (repeatable, later over earlier) give settings as YAML.
  void accept_config();
  /// Runs before other settings are assigned when `name` is given in any source, strongest source wins
  /// (--preset: its values are the defaults that the files and the command line override).
  void before_others(const std::string& name, std::function<void()> apply);

  /// Command line over --config files over defaults. Throws UsageError for an unknown name (file, line, "did
  /// you mean"), a bad value, a missing required setting, an unexpected argument. Returns false after
  /// printing --help.
  bool parse(const std::vector<std::string>& arguments);

  /// Whether any source set this name.
  bool given(const std::string& name) const;
  /// The text of --help.
  std::string help() const;
  /// Every setting that YAML accepts with its resolved value, as block YAML with plain scalars, readable back
  /// by
  /// --config.
  std::string resolved() const;

 private:
  std::vector<Option> options_;
};

}  // namespace nmt::cli
