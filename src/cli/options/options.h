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

#include "cli/files/overwriting.h"
#include "cli/options/option.h"
#include "cli/options/yaml_settings.h"

namespace nmt {

/// The group of settings that --help lists last.
inline constexpr const char* kGeneralGroup = "general";

/// What a subcommand is, for --help and the documentation.
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
  Choices choices;  // what may stand there, for completion; none: files
};

/// Every table has --help, and --config FILE (repeatable, later over earlier), which gives settings as YAML.
class Options {
 public:
  Options(std::string command, std::string usage, std::string summary, std::string example);
  Options(const Options&) = delete;
  Options& operator=(const Options&) = delete;

  /// Adds a setting bound to `target`, whose present value is the default. `names`: "beam", or "output,o".
  /// Types: std::string, int, std::int64_t, std::uint64_t, double, bool (true|false), Interval, std::optional
  /// of these, and std::vector of these (repeatable on the command line, a list in YAML).
  template <class T>
  Option& add(const std::string& names, T& target, const std::string& value_name, const std::string& help) {
    return add(Option(names, target, value_name, help));
  }
  /// A switch without a value; `--no-NAME` turns it off again (over a YAML file).
  Option& flag(const std::string& names, bool& target, const std::string& help);
  /// Arguments without a name; at least `least` and at most `most` of them.
  void positional(std::vector<std::string>& target, const std::string& value_name, const std::string& help,
                  size_t least, size_t most, Choices choices = {});
  /// Standard input is a text too, which messages call `name`, where `is_read` tells so once all settings are
  /// read.
  void reads_standard_input(std::string name, std::function<bool()> is_read);
  /// The text that the command line gives an option; empty when it is not there.
  using CommandLine = std::function<std::string(const std::string& name)>;
  /// Names one more file of settings, weaker than those of --config, by what the command line says (the run
  /// directory of --output). An empty path: none.
  void config_below(std::function<std::string(const CommandLine&)> file);
  /// What one source says of settings, by their names with dashes.
  using Source = std::map<std::string, std::vector<GivenValue>>;
  /// Adds a source that is weaker than the files of --config and stronger than that of config_below: settings
  /// that `read` makes of what the command line says, of a file in the words of another program for instance.
  /// They count as given, but may lack what they need (see Option::needs). Settings that there are not are a
  /// std::logic_error.
  void source_below(std::function<Source(const Source& command_line)> read);
  /// The settings that -h tells of; without a call, all but the general ones.
  void essential(const std::vector<std::string>& names);
  /// An option that, like --help, does something else than the command and ends it.
  void action(const std::string& names, const std::string& help, std::function<void()> run);
  /// Runs `apply` before other settings are assigned when `name` is given in any source, of which the
  /// strongest wins (--preset: its values are the defaults that files and the command line override). The
  /// setting exists.
  void before_others(const std::string& name, std::function<void()> apply);
  /// Gives a setting the value that `text` stands for without counting it as given: inside before_others, a
  /// default that the sources override. The setting exists. Throws UsageError when it does not accept the
  /// text.
  void set_default(const std::string& name, const std::string& text);

  /// Gives a setting a value, which counts as given. Throws UsageError, which says where it was given, when
  /// the setting does not accept it.
  void set(const std::string& name, const GivenValue& value);

  /// Command line over --config files over defaults. Throws UsageError for unknown names (file, line, "did
  /// you mean") and bad values, of which it tells all, a missing required setting, an unexpected argument, an
  /// option with one value that is given more than once, a file that would be read and written. Returns false
  /// after printing --help (or a form of it, see help_in_form), whatever else is on the line.
  bool parse(const std::vector<std::string>& arguments);

  /// What was asked for though it has no effect (see Option::idle_where), a warning for each.
  const std::vector<std::string>& idle() const { return idle_; }
  /// What is to come from standard input, after parse(): one file at most.
  std::optional<NamedFile> standard_input() const;
  /// Whether any source set this name.
  bool given(const std::string& name) const;
  /// All names that were set, as in YAML.
  std::set<std::string> given() const;
  /// Those of them that were set by name, not by what follows from another setting.
  std::set<std::string> asked() const;
  /// What messages call this setting, with its file and line if it was given in one: "--beam",
  /// "run.yml:3: beam".
  std::string origin(const std::string& name) const;
  /// The same for those of these names that were given, joined by "and".
  std::string origins(const std::vector<std::string>& names) const;
  /// The text of --help, that of -h, and the same facts as a page of documentation.
  std::string help() const;
  std::string short_help() const;
  std::string help_as_markdown() const;
  /// Every setting that YAML accepts, except transient ones, with its resolved value: block YAML with plain
  /// scalars where YAML allows them, readable back by --config. An unset optional is left out. Paths are
  /// absolute, so that they hold from any folder.
  std::string resolved() const;
  /// The same without paths and whatever is local, for files that are to be the same wherever they were made,
  /// and passed on.
  std::string resolved_without_paths() const;

  /// The table itself, for whoever writes documentation from it.
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
  std::string help(bool is_short) const;
  size_t index_of(const std::string& name) const;
  bool is_section(const std::string& name) const;

  std::string resolved(bool with_paths) const;
  /// What can be spelled behind two dashes, and the setting that it is of.
  std::vector<std::string> names() const;
  const OptionFacts& facts_of(const std::string& name) const;
  /// The line as Boost takes it apart, names that it does not know included.
  std::vector<boost::program_options::option> tokens(const std::vector<std::string>& arguments) const;
  /// Takes the arguments without a name out of the line.
  Source read_command_line(const std::vector<std::string>& arguments,
                           std::vector<std::string>& unnamed) const;
  /// Gives the settings that an option stands for where it is given twice (Option::twice). Throws where any
  /// other option with one value is given more than once.
  void resolve_repeated(Source& command_line) const;
  /// Throws when a token has no name that is known, or is letters and a value but more like a long name.
  void check_name(const boost::program_options::option& token, const std::string& typed) const;
  /// What is wrong with its settings goes to `complaints`.
  Source read_file(const std::string& path, std::vector<std::string>& complaints) const;
  /// The command line and what else was given, with the sources of source_below and the file of config_below
  /// below them.
  std::vector<Source> with_those_below(std::vector<Source> sources,
                                       std::vector<std::string>& complaints) const;
  std::vector<Source> with_run(std::vector<Source> sources, std::vector<std::string>& complaints) const;
  void take(const YamlSetting& setting, const std::string& section, Source& source) const;
  const Option& find_in_yaml(const YamlSetting& setting, const std::string& section) const;

  /// Lets --help show the defaults that follow from what the command line says early (--preset).
  void take_early_defaults(const std::vector<std::string>& arguments);
  /// Weakest source first, so that a bad value is reported even where a stronger source overrides it; what is
  /// wrong goes to `complaints`.
  void assign(const std::vector<Source>& sources, std::vector<std::string>& complaints);
  void take_positional(std::vector<std::string> unnamed);
  void check_required() const;
  /// Whether one of the settings is given that this one needs, and it applies.
  bool has_needs(const Option& option) const;
  /// What is asked for must have what it needs. What a run recorded is not asked for.
  void check_needs(const std::vector<Source>& sources) const;
  void note_idle(const std::vector<Source>& sources);
  std::vector<NamedFile> files_read() const;
  /// Those that are standard input.
  std::vector<NamedFile> streams_read() const;
  void refuse_empty_paths() const;
  void check_files() const;

  Description description_;
  std::deque<Option> options_;
  Positional positional_;
  std::vector<Early> early_;
  NamedFile text_of_stream_{.name = "", .path = "-"};
  std::function<bool()> reads_stream_ = [] { return false; };
  std::function<std::string(const CommandLine&)> config_below_;
  std::vector<std::function<Source(const Source&)>> sources_below_;
  std::deque<Action> actions_;
  std::vector<std::string> config_files_, idle_;
};

}  // namespace nmt
