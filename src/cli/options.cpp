#include "cli/options.h"

#include <algorithm>
#include <cctype>
#include <iterator>
#include <stdexcept>

#include "cli/help.h"
#include "cli/overwriting.h"
#include "cli/spelling.h"
#include "cli/standard_output.h"
#include "common/error.h"

namespace nmt {
namespace {

/// `-` is a standard stream, `-5` and `-.5` are numbers.
bool looks_like_option(const std::string& argument) {
  if (argument.size() < 2 || argument[0] != '-') return false;
  return argument[1] != '.' && std::isdigit(static_cast<unsigned char>(argument[1])) == 0;
}

constexpr std::string_view kHelpForm = "--help=";

/// The first of the arguments that asks for help; empty when none does.
std::string asked_help(const std::vector<std::string>& arguments) {
  const auto end = std::find(arguments.begin(), arguments.end(), "--");
  const auto asked = std::find_if(arguments.begin(), end, [](const std::string& argument) {
    return argument == "--help" || argument == "-h" || argument.starts_with(kHelpForm);
  });
  return asked == end ? "" : *asked;
}

/// Throws when a setting of this name does not stand in `section` of a file.
void check_place(const YamlSetting& setting, const OptionFacts& facts, const std::string& section) {
  if (facts.is_command_line_only) {
    throw UsageError("{}: {} can be given on the command line only, as --{}", setting.where,
                     quoted(setting.name), facts.name);
  }
  if (facts.section == section) return;
  throw UsageError(
      "{}: {} belongs {}", setting.where, quoted(setting.name),
      facts.section.empty() ? "at the top level" : "under '" + underscored(facts.section) + ":'");
}

}  // namespace

Options::Options(std::string command, std::string usage, std::string summary, std::string example)
    : description_{std::move(command), std::move(usage), std::move(summary), std::move(example)} {
  flag("help,h", help_,
       "print this help and exit; --help=man|markdown: as a page; --help=bash|fish|zsh: completion for a "
       "shell")
      .command_line_only()
      .group(kGeneralGroup);
  add("config", config_files_, "FILE", "take settings from a YAML file; the command line overrides it")
      .command_line_only()
      .group(kGeneralGroup);
}

Option& Options::add(Option option) {
  const OptionFacts& facts = option.facts();
  for (const Option& other : options_) {
    const bool same_letter = facts.letter != 0 && facts.letter == other.facts().letter;
    if (same_letter || facts.name == other.facts().name) {
      throw std::logic_error("two options share a name: " + facts.name + ", " + other.facts().name);
    }
  }
  return options_.emplace_back(std::move(option));
}

Option& Options::flag(const std::string& names, bool& target, const std::string& help) {
  return add(names, target, "", help).as_switch();
}

void Options::positional(std::vector<std::string>& target, const std::string& value_name,
                         const std::string& help, size_t least, size_t most) {
  positional_ = {&target, value_name, help, least, most};
}

void Options::config_below(std::function<std::string(const CommandLine&)> file) {
  config_below_ = std::move(file);
}

void Options::action(const std::string& name, const std::string& help, std::function<void()> run) {
  Action& action = actions_.emplace_back(Action{false, name, std::move(run)});
  flag(name, action.asked, help).command_line_only().group(kGeneralGroup);
}

void Options::before_others(const std::string& name, std::function<void()> apply) {
  early_.push_back({index_of(name), std::move(apply)});
}

bool Options::parse(const std::vector<std::string>& as_typed) {
  std::vector<std::string> arguments;
  for (auto argument = as_typed.begin(); argument != as_typed.end(); ++argument) {
    if (*argument == "--") {
      arguments.insert(arguments.end(), argument, as_typed.end());
      break;
    }
    std::ranges::move(spelled_out(*argument), std::back_inserter(arguments));
  }
  if (const std::string asked = asked_help(arguments); !asked.empty()) {
    const bool has_form = asked.starts_with(kHelpForm);
    write_output(has_form ? help_in_form(asked.substr(kHelpForm.size()), *this) : help());
    return false;
  }
  std::vector<std::string> unnamed;
  const Source command_line = read_command_line(arguments, unnamed);
  for (const Action& action : actions_) {
    if (!command_line.contains(action.name)) continue;
    action.run();
    return false;
  }
  std::vector<Source> sources;
  if (const auto config = command_line.find("config"); config != command_line.end()) {
    for (const GivenValue& file : config->second) sources.push_back(read_file(file.text));
  }
  sources.push_back(command_line);
  assign(with_run(sources));
  take_positional(std::move(unnamed));
  check_required();
  check_needs(sources);
  check_written();
  return true;
}

std::vector<Options::Source> Options::with_run(std::vector<Source> sources) const {
  if (!config_below_) return sources;
  const std::string file = config_below_([command_line = sources.back()](const std::string& name) {
    const auto given = command_line.find(dashed(name));
    return given == command_line.end() ? "" : given->second.back().text;
  });
  if (file.empty()) return sources;
  for (const Option& option : options_) {
    if (!option.facts().is_of_new_runs) continue;
    for (Source& source : sources) source.erase(option.facts().name);
  }
  sources.insert(sources.begin(), read_file(file));
  return sources;
}

void Options::set_default(const std::string& name, const std::string& value) {
  options_[index_of(name)].assign_default(value);
}

bool Options::given(const std::string& name) const {
  return options_[index_of(name)].given();
}

std::string Options::origin(const std::string& name) const {
  return options_[index_of(name)].origin();
}

std::string Options::origins(const std::vector<std::string>& names) const {
  std::vector<std::string> origins;
  for (const std::string& name : names) {
    if (given(name)) origins.push_back(origin(name));
  }
  return join(origins, " and ");
}

size_t Options::index_of(const std::string& name) const {
  const auto found =
      std::find_if(options_.begin(), options_.end(),
                   [wanted = dashed(name)](const Option& option) { return option.facts().name == wanted; });
  if (found == options_.end()) throw std::logic_error("no such option: " + name);
  return static_cast<size_t>(found - options_.begin());
}

bool Options::is_section(const std::string& name) const {
  return !name.empty() && std::any_of(options_.begin(), options_.end(), [&name](const Option& option) {
    return option.facts().section == name;
  });
}

const Option* Options::find_letter(char letter) const {
  const auto found = std::ranges::find_if(
      options_, [letter](const Option& option) { return letter != 0 && option.facts().letter == letter; });
  return found == options_.end() ? nullptr : &*found;
}

std::vector<std::string> Options::spelled_out(const std::string& argument) const {
  const std::vector<std::string> as_it_is = {argument};
  if (argument.size() < 3 || argument.starts_with("--") || !looks_like_option(argument)) return as_it_is;
  std::vector<std::string> names;
  for (const Option& option : options_) names.push_back(option.facts().name);
  constexpr std::size_t kShortName = 3;  // any two letters are like some name of three
  const std::string word = argument.substr(1, argument.find('=') - 1);
  if (word.size() > kShortName && !nearest(word, names).empty()) return as_it_is;
  std::vector<std::string> out;
  for (std::size_t i = 1; i < argument.size(); ++i) {
    const Option* const option = find_letter(argument[i]);
    if (option == nullptr) return as_it_is;
    out.push_back("--" + option->facts().name);
    if (option->facts().is_switch) continue;
    const std::string value = argument.substr(i + 1);
    if (!value.empty()) out.back() += (value.front() == '=' ? "" : "=") + value;
    break;
  }
  return out;
}

Options::Source Options::read_command_line(const std::vector<std::string>& arguments,
                                           std::vector<std::string>& unnamed) const {
  Source source;
  for (auto argument = arguments.begin(); argument != arguments.end(); ++argument) {
    if (*argument == "--") {
      unnamed.insert(unnamed.end(), argument + 1, arguments.end());
      break;
    }
    if (!looks_like_option(*argument)) {
      unnamed.push_back(*argument);
      continue;
    }
    const size_t equals = argument->find('=');
    const auto [option, negated] = find_spelled(argument->substr(0, equals));
    const OptionFacts& facts = option->facts();
    GivenValue value{negated ? "false" : "true", "--" + facts.name};
    if (facts.is_switch) {
      if (equals != std::string::npos) {
        throw UsageError("{}: takes no value; --no-{} turns it off", value.where, facts.name);
      }
    } else if (equals != std::string::npos) {
      value.text = argument->substr(equals + 1);
    } else if (argument + 1 != arguments.end() && !looks_like_option(*(argument + 1))) {
      value.text = *++argument;
    } else {
      throw UsageError("{0}: expected {1}, got no value; give {0} {2}", value.where, facts.accepted(),
                       facts.value_name);
    }
    source[facts.name].push_back(std::move(value));
  }
  return source;
}

std::pair<const Option*, bool> Options::find_spelled(const std::string& spelled) const {
  const std::string name = dashed(spelled);
  std::vector<std::string> known;
  for (const Option& option : options_) {
    const OptionFacts& facts = option.facts();
    known.push_back(facts.name);
    if (name == "--" + known.back() || (name.size() == 2 && name[1] == facts.letter)) return {&option, false};
    if (!facts.is_switch) continue;
    known.push_back("no-" + facts.name);
    if (name == "--" + known.back()) return {&option, true};
  }
  const size_t dashes = std::min(name.find_first_not_of('-'), name.size());
  const std::string suggestion = nearest(name.substr(dashes), known);
  throw UsageError("unknown option {}{}", quoted(spelled),
                   suggestion.empty() ? fmt::format("; {} --help lists the options", description_.command)
                                      : fmt::format(", did you mean '--{}'?", suggestion));
}

Options::Source Options::read_file(const std::string& path) const {
  Source source;
  for (const YamlSetting& setting : read_yaml_settings(path)) {
    if (setting.kind == YamlSetting::Kind::mapping && is_section(dashed(setting.name))) {
      for (const YamlSetting& member : setting.members) take(member, dashed(setting.name), source);
    } else {
      take(setting, "", source);
    }
  }
  return source;
}

void Options::take(const YamlSetting& setting, const std::string& section, Source& source) const {
  const OptionFacts& facts = find_in_yaml(setting, section).facts();
  const std::string name = underscored(facts.name);
  if (setting.kind == YamlSetting::Kind::mapping) {
    throw UsageError("{}: {}: expected {}, got a mapping", setting.where, name, facts.accepted());
  }
  if (setting.kind == YamlSetting::Kind::list && !facts.is_list) {
    throw UsageError("{}: {}: expected {}, got a list", setting.where, name, facts.accepted());
  }
  std::vector<GivenValue>& values = source[facts.name];
  for (const auto& [text, where] : setting.values) {
    values.push_back({text, fmt::format("{}: {}", where, name)});
  }
}

const Option& Options::find_in_yaml(const YamlSetting& setting, const std::string& section) const {
  const std::string name = dashed(setting.name);
  std::vector<std::string> known;
  for (const Option& option : options_) {
    const OptionFacts& facts = option.facts();
    if (facts.name == name) {
      check_place(setting, facts, section);
      return option;
    }
    if (facts.section == section && !facts.is_command_line_only) known.push_back(underscored(facts.name));
    if (section.empty() && !facts.section.empty()) known.push_back(underscored(facts.section));
  }
  if (section.empty() && is_section(name)) {
    throw UsageError("{}: {}: expected a mapping of settings", setting.where, quoted(setting.name));
  }
  throw UsageError("{}: unknown setting {}{}", setting.where, quoted(setting.name),
                   did_you_mean(setting.name, known));
}

void Options::assign(const std::vector<Source>& sources) {
  std::vector<bool> is_assigned(options_.size());
  const auto assign_one = [&](size_t index) {
    Option& option = options_[index];
    option.forget_origin();
    is_assigned[index] = true;
    for (const Source& source : sources) {
      const auto values = source.find(option.facts().name);
      if (values != source.end()) option.assign(values->second);
    }
  };
  for (const auto& [index, apply] : early_) {
    assign_one(index);
    if (options_[index].given()) apply();
  }
  for (size_t index = 0; index < options_.size(); ++index) {
    if (!is_assigned[index]) assign_one(index);
  }
}

void Options::take_positional(std::vector<std::string> unnamed) {
  const auto& [target, value_name, help, least, most] = positional_;
  if (unnamed.size() > most) {
    throw UsageError("unexpected argument {}; usage: {} {}", quoted(unnamed[most]), description_.command,
                     description_.usage);
  }
  if (unnamed.size() < least) {
    throw UsageError("{} is missing; usage: {} {}", value_name, description_.command, description_.usage);
  }
  if (target != nullptr) *target = std::move(unnamed);
}

bool Options::has_needs(const Option& option) const {
  const std::vector<std::string>& needs = option.facts().needs;
  return needs.empty() || std::ranges::any_of(needs, [this](const std::string& name) { return given(name); });
}

void Options::check_needs(const std::vector<Source>& sources) const {
  for (const Option& option : options_) {
    if (has_needs(option)) continue;
    for (const Source& source : sources) {
      const auto values = source.find(option.facts().name);
      if (values == source.end()) continue;
      throw UsageError("{} needs {}", values->second.back().where, option.facts().needs_text);
    }
  }
}

void Options::check_required() const {
  for (const Option& option : options_) {
    const OptionFacts& facts = option.facts();
    if (facts.is_required && !option.given()) {
      throw UsageError("--{} is required; give --{} {}", facts.name, facts.name, facts.value_name);
    }
  }
}

void Options::check_written() const {
  std::vector<NamedFile> read, written;
  if (positional_.target != nullptr) {
    for (const std::string& path : *positional_.target) read.push_back({positional_.value_name, path});
  }
  for (const Option& option : options_) {
    const OptionFacts& facts = option.facts();
    if (!facts.is_path()) continue;
    for (const std::string& path : option.texts()) {
      (facts.is_written ? written : read).push_back({option.origin(), path});
    }
  }
  for (const NamedFile& output : written) refuse_overwriting(output, read);
}

}  // namespace nmt
