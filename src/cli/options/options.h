// The settings of a subcommand as one table: it parses the command line and YAML files, checks values, prints
// --help, and writes the resolved configuration.
#pragma once

#include <boost/program_options/option.hpp>
#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "cli/options/option.h"
#include "cli/options/overwriting.h"
#include "cli/options/yaml_settings.h"

namespace nmt {

/// The group of settings that --help lists last.
inline constexpr const char* kGeneralGroup = "general";

/// The description of a subcommand for --help and the documentation.
struct Description {
  std::string command;  // "nmt bleu"
  std::string usage;    // what follows the options: "reference [reference ...] < hypothesis"
  std::string summary;  // one sentence
  std::string example;  // one command line that works
};

/// The arguments without a name that a subcommand takes.
struct Positional {
  std::vector<std::string>* target = nullptr;
  std::string value_name, help;
  size_t least = 0, most = 0;
  Choices choices;  // allowed values, for completion; empty: files
};

/// The table of settings. Every table has --help, and the repeatable --config FILE, which reads settings from
/// YAML; later files override earlier ones.
class Options {
 public:
  Options(std::string command, std::string usage, std::string summary, std::string example);
  Options(const Options&) = delete;
  Options& operator=(const Options&) = delete;

  /// Adds a setting bound to `target`, whose current value is the default. `names`: "beam", or "output,o".
  /// Types: std::string, int, std::int64_t, std::uint64_t, double, bool (true|false), Interval, TimeLimit,
  /// std::optional of these, and std::vector of these (repeatable on the command line, a list in YAML).
  template <class T>
  Option& add(const std::string& names, T& target, const std::string& value_name, const std::string& help) {
    return add(Option(names, target, value_name, help));
  }
  /// Adds a switch without a value; `--no-NAME` turns it off again, for instance to override a YAML file. A
  /// value may follow `=`: `--NAME=false`.
  Option& flag(const std::string& names, bool& target, const std::string& help);
  /// Declares arguments without a name, at least `least` and at most `most`.
  void positional(std::vector<std::string>& target, const std::string& value_name, const std::string& help,
                  size_t least, size_t most, Choices choices = {});
  /// Declares that the command reads standard input, called `name` in messages, if `is_read` returns true
  /// after all settings are read.
  void reads_standard_input(std::string name, std::function<bool()> is_read);
  /// Declares that the command without an option for its output prints its result to standard output if
  /// `is_written` returns true after all settings are read.
  void writes_standard_output(std::function<bool()> is_written = [] { return true; });
  /// Returns the text that the command line gives an option; empty if it is not given.
  using CommandLine = std::function<std::string(const std::string& name)>;
  /// Names one more settings file, weaker than those of --config, computed from the command line (such as
  /// from the run directory of --output). An empty path means none.
  void config_below(std::function<std::string(const CommandLine&)> file);
  /// The values of one source by the dashed names of settings.
  using Source = std::map<std::string, std::vector<GivenValue>>;
  /// Adds a source weaker than the files of --config and stronger than config_below(): settings that `read`
  /// computes from the command line, for instance from another program's configuration file. They count as
  /// given, but may lack what they need (see Option::needs). Unknown settings throw std::logic_error.
  void source_below(std::function<Source(const Source& command_line)> read);
  /// Sets a function that sees the path and the settings of every settings file before they are read, and may
  /// throw UsageError, for instance for a file of another program.
  void check_files_with(std::function<void(const std::string&, const std::vector<YamlSetting>&)> check);
  /// Selects the settings that -h shows; without a call, all but the general ones.
  void essential(const std::vector<std::string>& names);
  /// Allows these settings, which have no such condition yet, only where `applies`; see Option::only_where().
  void only_where(const std::vector<std::string>& names, const std::function<bool()>& applies,
                  const std::string& what);
  /// Adds an option that, like --help, does something else instead of the command and ends the program.
  void action(const std::string& names, const std::string& help, std::function<void()> run);
  /// Runs `apply` before other settings are assigned if any source gives `name`; the strongest source counts
  /// (the values of --preset are defaults that files and the command line override). The setting must exist.
  void before_others(const std::string& name, std::function<void()> apply);
  /// Sets the value of a setting without counting it as given: inside before_others(), a default that the
  /// sources override. The setting must exist. Throws UsageError if it does not accept the text.
  void set_default(const std::string& name, const std::string& text);
  /// Sets the default that --help shows for a setting instead of the value. The setting must exist.
  void describe_default(const std::string& name, const std::string& text);

  /// Sets the value of a setting, which counts as given. Throws UsageError with the place of the value if the
  /// setting does not accept it.
  void set(const std::string& name, const GivenValue& value);

  /// Reads all settings; the command line overrides --config files, which override defaults. Throws
  /// UsageError for unknown names (with file, line, and "did you mean") and invalid values, all in one
  /// message. Also throws it for a missing required setting, an unexpected argument, a repeated option that
  /// takes one value, and a file that would be read and written. Returns false after printing --help (or a
  /// form of it, see help_in_form()), whatever else is on the line.
  bool parse(const std::vector<std::string>& arguments);

  /// Returns one warning for each setting that is given but has no effect; see Option::idle_where().
  const std::vector<std::string>& idle() const { return idle_; }
  /// Returns the inputs as they are named; of NAME=FILE and FILE:RATIO, the file alone, too.
  std::vector<NamedFile> files_read() const;
  /// Returns the file that standard input is read for, after parse(): at most one.
  std::optional<NamedFile> standard_input() const;
  /// Whether any source set this name.
  bool given(const std::string& name) const;
  /// Returns all names that were set, as in YAML.
  std::set<std::string> given() const;
  /// Returns the names that were set explicitly, not by another setting.
  std::set<std::string> asked() const;
  /// Returns the name of this setting for messages, with file and line if it comes from a file: "--beam",
  /// "run.yml:3: beam".
  std::string origin(const std::string& name) const;
  /// Returns the origins of those of these settings that were given, joined by "and".
  std::string origins(const std::vector<std::string>& names) const;
  /// Return the text of --help, the text of -h, and the documentation page.
  std::string help() const;
  std::string short_help() const;
  std::string help_as_markdown() const;
  /// Returns every setting that YAML accepts, except transient ones, with its resolved value: block YAML with
  /// plain scalars if YAML allows them, readable by --config. Unset optionals are left out. Paths are
  /// absolute, so that they do not depend on the working directory.
  std::string resolved() const;
  /// Returns the resolved configuration without paths and local settings, for files that must not depend on
  /// the machine, such as models that are passed on.
  std::string resolved_without_paths() const;

  /// Returns the table itself, for code that writes documentation from it.
  const Description& description() const { return description_; }
  const std::deque<Option>& table() const { return options_; }
  const Positional& positional() const { return positional_; }

 private:
  struct Early {
    size_t option;
    std::function<void()> apply;
  };
  struct Action {
    bool asked = false;
    std::string name;
    std::function<void()> run;
  };

  Option& add(Option option);
  size_t index_of(const std::string& name) const;
  bool is_section(const std::string& name) const;

  std::string resolved(bool with_paths) const;
  /// Returns all names that may follow two dashes, including negated ones.
  std::vector<std::string> names() const;
  /// Returns the facts of a name in names(), or of a letter ("-q"); null for other names.
  const OptionFacts* find(const std::string& name) const;
  const OptionFacts& facts_of(const std::string& name) const { return *find(name); }
  /// Returns the command line with the values of options that stand without one (see Option::bare), and with
  /// the words true and false as the values of the switches before them.
  std::vector<std::string> with_bare_values(const std::vector<std::string>& arguments) const;
  /// Replaces the value of a switch, or of a negated name, by the name that has the same meaning.
  std::vector<boost::program_options::option> without_switch_value(
      std::vector<boost::program_options::option> taken) const;
  /// Whether more values may follow a value of this option: `-i a b` stands for `-i a -i b`.
  bool takes_more(const OptionFacts& facts) const;
  /// Returns the command line as parsed by Boost, including unknown names.
  std::vector<boost::program_options::option> tokens(const std::vector<std::string>& arguments) const;
  /// Reads the command line; moves arguments without a name to the positional target.
  Source read_command_line(const std::vector<std::string>& arguments,
                           std::vector<std::string>& unnamed) const;
  /// Replaces options given twice by the two settings that they stand for (Option::twice). Throws if any
  /// other option with one value is given more than once.
  void resolve_repeated(Source& command_line) const;
  /// Returns how to turn off the setting that a switch of this name would ("--r-drop 0" for no-r-drop), or
  /// nothing if there is no such setting.
  std::string turned_off(const std::string& name) const;
  /// Throws if a token has an unknown name, or if a letter with its value looks more like a misspelled long
  /// name.
  void check_name(const boost::program_options::option& token, const std::string& typed) const;
  /// Reads a settings file; errors in its settings are appended to `complaints`.
  Source read_file(const std::string& path, std::vector<std::string>& complaints) const;
  /// Returns the given sources with those of source_below() and the file of config_below() below them.
  std::vector<Source> with_those_below(std::vector<Source> sources,
                                       std::vector<std::string>& complaints) const;
  std::vector<Source> with_run(std::vector<Source> sources, std::vector<std::string>& complaints) const;
  void take(const YamlSetting& setting, const std::string& section, Source& source) const;
  const Option& find_in_yaml(const YamlSetting& setting, const std::string& section) const;
  /// Returns a suggestion for an unknown setting of a section, or of another section; empty if there is none.
  std::string likely_in_yaml(const std::string& name, const std::string& section) const;

  /// Applies the defaults that follow from the command line early (--preset), so that --help shows them.
  void take_early_defaults(const std::vector<std::string>& arguments);
  /// Assigns all sources, the weakest first, so that an invalid value is reported even if a stronger source
  /// overrides it; errors are appended to `complaints`.
  void assign(const std::vector<Source>& sources, std::vector<std::string>& complaints);
  void take_positional(std::vector<std::string> unnamed);
  void check_required() const;
  /// Returns what a setting needs and lacks: another setting, or something for which it applies. Empty:
  /// nothing.
  std::string missing_need(const Option& option) const;
  /// Throws if a requested setting lacks what it needs. Settings recorded by a run are not checked.
  void check_needs(const std::vector<Source>& sources) const;
  void note_idle(const std::vector<Source>& sources);
  /// Returns the inputs that are standard input.
  std::vector<NamedFile> streams_read() const;
  void refuse_empty_paths() const;
  void check_files() const;

  Description description_;
  std::deque<Option> options_;
  Positional positional_;
  std::vector<Early> early_;
  NamedFile text_of_stream_{.name = "", .path = "-"};
  std::function<bool()> reads_stream_ = [] { return false; }, writes_stream_ = [] { return false; };
  std::function<std::string(const CommandLine&)> config_below_;
  std::vector<std::function<Source(const Source&)>> sources_below_;
  std::function<void(const std::string&, const std::vector<YamlSetting>&)> check_file_;
  std::deque<Action> actions_;
  std::vector<std::string> config_files_, idle_;
};

}  // namespace nmt
