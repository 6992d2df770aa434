#include "cli/options/options.h"

#include <algorithm>
#include <boost/program_options.hpp>
#include <cctype>
#include <stdexcept>

#include "cli/options/help/help.h"
#include "cli/program.h"
#include "common/error.h"
#include "common/text/foreign_names.h"
#include "common/text/spelling.h"

namespace nmt {

namespace po = boost::program_options;

namespace {

/// Whether an argument is an option: `-` is a standard stream, and `-5` and `-.5` are numbers.
bool looks_like_option(const std::string& argument) {
  if (argument.size() < 2 || argument[0] != '-') return false;
  return argument[1] != '.' && std::isdigit(static_cast<unsigned char>(argument[1])) == 0;
}

/// Takes an option off the line that Boost would reject: `--name[=value]`, in which underscores count as
/// dashes and a value may be empty, and `-n=value`.
std::vector<po::option> take_option(std::vector<std::string>& line) {
  const std::string typed = line.front();
  const bool is_long = typed.starts_with("--");
  const std::size_t equals = typed.find('=');
  if (typed == "--" || !(is_long || (typed.starts_with('-') && equals == 2))) return {};
  // A name without a letter becomes "=", which is unknown.
  const std::string name =
      is_long ? dashed(typed.substr(2, std::max<std::size_t>(equals, 3) - 2)) : typed.substr(0, 2);
  po::option option(name, {});
  if (equals != std::string::npos) option.value.push_back(typed.substr(equals + 1));
  option.original_tokens.push_back(typed);
  line.erase(line.begin());
  return {option};
}

UsageError without_value(const OptionFacts& facts) {
  return UsageError("--{0}: expected {1}, got no value; give --{0} {2}", facts.name, facts.accepted(),
                    facts.value_name);
}

/// Appends an error of a setting to `complaints`, with its line in the file.
void collect(std::vector<std::string>& complaints, const std::function<void()>& take,
             const std::string& line = "") {
  try {
    take();
  } catch (const UsageError& error) {
    complaints.emplace_back(error.what());
    if (!line.empty()) complaints.back() += fmt::format(" (the line is {})", quoted(line));
  }
}

/// Throws if there are complaints: reports the first one, and the number of others.
void refuse(std::vector<std::string> complaints) {
  constexpr std::size_t kMost = 10;
  if (complaints.empty()) return;
  if (complaints.size() > kMost) {
    const std::size_t more = complaints.size() - kMost;
    complaints.resize(kMost);
    complaints.push_back(fmt::format("and {} more", more));
  }
  throw UsageError("{}", join(complaints, "; "));
}

constexpr std::string_view kHelpForm = "--help=";

/// Returns the first argument that asks for help; empty if none does.
std::string asked_help(const std::vector<std::string>& arguments) {
  const auto end = std::find(arguments.begin(), arguments.end(), "--");
  const auto asked = std::find_if(arguments.begin(), end, [](const std::string& argument) {
    return argument == "--help" || argument == "-h" || argument.starts_with(kHelpForm);
  });
  return asked == end ? "" : *asked;
}

/// Throws if a setting of this name does not belong into `section` of a file.
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
  action("help,h",
         "print this help and exit. -h shows the most used options, --help=GROUP one group. Other forms: "
         "--help=man, markdown, json, bash, fish or zsh.",
         [this] { write_output(help()); });
  add("config", config_files_, "FILE", "YAML file to take settings from. The command line overrides it.")
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
                         const std::string& help, size_t least, size_t most, Choices choices) {
  positional_ = {&target, value_name, help, least, most, std::move(choices)};
}

void Options::reads_standard_input(std::string name, std::function<bool()> is_read) {
  text_of_stream_.name = std::move(name);
  reads_stream_ = std::move(is_read);
}

void Options::writes_standard_output(std::function<bool()> is_written) {
  writes_stream_ = std::move(is_written);
}

void Options::config_below(std::function<std::string(const CommandLine&)> file) {
  config_below_ = std::move(file);
}

void Options::source_below(std::function<Source(const Source&)> read) {
  sources_below_.push_back(std::move(read));
}

void Options::check_files_with(
    std::function<void(const std::string&, const std::vector<YamlSetting>&)> check) {
  check_file_ = std::move(check);
}

void Options::action(const std::string& names, const std::string& help, std::function<void()> run) {
  Action& action = actions_.emplace_back(Action{false, "", std::move(run)});
  action.name = flag(names, action.asked, help).command_line_only().group(kGeneralGroup).facts().name;
}

void Options::essential(const std::vector<std::string>& names) {
  for (Option& option : options_) option.essential(false);
  for (const std::string& name : names) options_[index_of(name)].essential(true);
}

void Options::only_where(const std::vector<std::string>& names, const std::function<bool()>& applies,
                         const std::string& what) {
  for (const std::string& name : names) options_[index_of(name)].only_where(applies, what);
}

void Options::before_others(const std::string& name, std::function<void()> apply) {
  early_.push_back({index_of(name), std::move(apply)});
}

bool Options::parse(const std::vector<std::string>& arguments) {
  if (const std::string asked = asked_help(arguments); !asked.empty()) {
    const bool has_form = asked.starts_with(kHelpForm);
    take_early_defaults(arguments);
    write_output(has_form        ? help_in_form(asked.substr(kHelpForm.size()), *this)
                 : asked == "-h" ? short_help()
                                 : help());
    return false;
  }
  std::vector<std::string> unnamed;
  Source command_line = read_command_line(arguments, unnamed);
  for (const Action& action : actions_) {
    const auto given = command_line.find(action.name);
    if (given == command_line.end() || given->second.back().text == "false") continue;
    action.run();
    return false;
  }
  resolve_repeated(command_line);
  std::vector<Source> sources;
  std::vector<std::string> complaints;
  if (const auto config = command_line.find("config"); config != command_line.end()) {
    for (const GivenValue& file : config->second) sources.push_back(read_file(file.text, complaints));
  }
  sources.push_back(command_line);
  assign(with_those_below(sources, complaints), complaints);
  refuse(std::move(complaints));
  take_positional(std::move(unnamed));
  check_required();
  check_needs(sources);
  note_idle(sources);
  check_files();
  return true;
}

void Options::take_early_defaults(const std::vector<std::string>& arguments) {
  Source line;
  std::vector<std::string> ignored;
  collect(ignored, [&] {
    for (const po::option& token : tokens(arguments)) {
      if (token.value.empty() || looks_like_option(token.value[0])) continue;
      line[token.string_key].push_back({token.value[0], "--" + token.string_key});
    }
  });
  for (const auto& [index, apply] : early_) {
    Option& option = options_[index];
    option.forget_origin();
    const auto values = line.find(option.facts().name);
    if (values == line.end()) continue;
    option.assign(values->second);
    apply();
  }
}

std::vector<Options::Source> Options::with_those_below(std::vector<Source> sources,
                                                       std::vector<std::string>& complaints) const {
  const Source command_line = sources.back();
  for (const auto& read : sources_below_) {
    collect(complaints, [&] {
      Source source = read(command_line);
      for (const auto& setting : source) index_of(setting.first);
      sources.insert(sources.begin(), std::move(source));
    });
  }
  return with_run(std::move(sources), complaints);
}

std::vector<Options::Source> Options::with_run(std::vector<Source> sources,
                                               std::vector<std::string>& complaints) const {
  if (!config_below_) return sources;
  const std::string file = config_below_([command_line = sources.back()](const std::string& name) {
    const auto given = command_line.find(dashed(name));
    return given == command_line.end() ? "" : given->second.back().text;
  });
  if (file.empty()) return sources;
  sources.insert(sources.begin(), read_file(file, complaints));
  return sources;
}

void Options::set_default(const std::string& name, const std::string& value) {
  options_[index_of(name)].assign_default(value);
}

void Options::describe_default(const std::string& name, const std::string& text) {
  options_[index_of(name)].default_text(text);
}

void Options::set(const std::string& name, const GivenValue& value) {
  options_[index_of(name)].assign({value});
}

bool Options::given(const std::string& name) const {
  return options_[index_of(name)].given();
}

std::set<std::string> Options::given() const {
  std::set<std::string> names;
  for (const Option& option : options_) {
    if (option.given()) names.insert(underscored(option.facts().name));
  }
  return names;
}

std::set<std::string> Options::asked() const {
  std::set<std::string> names;
  for (const Option& option : options_) {
    if (option.given() && !option.implied()) names.insert(underscored(option.facts().name));
  }
  return names;
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

std::vector<std::string> Options::names() const {
  std::vector<std::string> names;
  for (const Option& option : options_) {
    names.push_back(option.facts().name);
    if (option.facts().is_boolean()) names.push_back("no-" + names.back());
  }
  return names;
}

const OptionFacts* Options::find(const std::string& name) const {
  const bool is_letter = name.size() == 2 && name[0] == '-';
  const auto found = std::ranges::find_if(options_, [&](const Option& option) {
    const OptionFacts& facts = option.facts();
    if (is_letter) return facts.letter == name[1];
    return name == facts.name || (facts.is_boolean() && name == "no-" + facts.name);
  });
  return found == options_.end() ? nullptr : &found->facts();
}

std::vector<std::string> Options::with_bare_values(const std::vector<std::string>& arguments) const {
  std::vector<std::string> line;
  for (auto at = arguments.begin(); at != arguments.end(); ++at) {
    line.push_back(*at);
    if (*at == "--") {
      line.insert(line.end(), at + 1, arguments.end());
      break;
    }
    const std::string name = at->starts_with("--") ? dashed(at->substr(2)) : "";
    const OptionFacts* const facts = find(name);
    if (facts == nullptr) continue;
    const bool is_bare = at + 1 == arguments.end() || looks_like_option(at[1]);
    const bool takes_value = !facts->is_switch && name == facts->name;
    if (is_bare && takes_value && !facts->bare_value.empty()) line.back() += '=' + facts->bare_value;
    if (!is_bare && !takes_value && positional_.most == 0 && (at[1] == "true" || at[1] == "false"))
      line.back() += '=' + *++at;
  }
  return line;
}

std::vector<po::option> Options::without_switch_value(std::vector<po::option> taken) const {
  if (taken.empty() || taken[0].value.empty()) return taken;
  po::option& option = taken[0];
  const OptionFacts* const facts = find(option.string_key);
  if (facts == nullptr) return taken;
  const std::string negated = "no-" + facts->name;
  const bool is_negated = option.string_key == negated;
  if (!facts->is_switch && !is_negated) return taken;
  bool is_on = false;
  if (ValueType<bool>::read(option.value[0], is_on) != Reading::good)
    throw UsageError("--{}: expected true or false, got {}", is_negated ? negated : facts->name,
                     quoted(option.value[0]));
  is_on = is_on != is_negated;
  option.string_key = is_on ? facts->name : negated;
  option.value.clear();
  if (is_on && !facts->is_switch) option.value.emplace_back("true");
  return taken;
}

std::vector<po::option> Options::tokens(const std::vector<std::string>& arguments) const {
  po::options_description known;
  for (const std::string& name : names()) {
    const OptionFacts& facts = facts_of(name);
    const bool is_negated = name != facts.name;
    known.add_options()((facts.letter != 0 && !is_negated ? name + ',' + facts.letter : name).c_str(),
                        new po::untyped_value(facts.is_switch || is_negated));
  }
  using namespace po::command_line_style;
  po::command_line_parser parser(with_bare_values(arguments));
  parser.options(known).style(unix_style & ~allow_guessing).allow_unregistered();
  try {
    return parser
        .extra_style_parser(
            [this](std::vector<std::string>& line) { return without_switch_value(take_option(line)); })
        .run()
        .options;
  } catch (const po::invalid_command_line_syntax& error) {
    throw without_value(facts_of(error.get_option_name().substr(2)));
  }
}

bool Options::takes_more(const OptionFacts& facts) const {
  return positional_.most == 0 && (facts.is_list || !facts.halves.empty());
}

Options::Source Options::read_command_line(const std::vector<std::string>& arguments,
                                           std::vector<std::string>& unnamed) const {
  Source source;
  const OptionFacts* last = nullptr;
  for (const po::option& token : tokens(arguments)) {
    // For grouped letters, the last original token is what was typed.
    const std::string typed = token.original_tokens.empty() ? "" : token.original_tokens[0];
    if (token.position_key >= 0 || (token.unregistered && !looks_like_option(typed))) {
      if (last != nullptr && takes_more(*last)) {
        source[last->name].push_back({typed, "--" + last->name});
      } else {
        unnamed.push_back(typed);
      }
      continue;
    }
    check_name(token, typed);
    last = find(token.string_key);
    std::string value = last->name == token.string_key ? "true" : "false";
    if (!token.value.empty()) value = token.value[0];
    if (token.original_tokens.size() > 1 && looks_like_option(value)) throw without_value(*last);
    source[last->name].push_back({std::move(value), "--" + token.string_key});
  }
  return source;
}

void Options::resolve_repeated(Source& command_line) const {
  for (const Option& option : options_) {  // the options that --vocab stands for come after it
    const OptionFacts& facts = option.facts();
    const auto given = command_line.find(facts.name);
    if (given == command_line.end() || given->second.size() == 1) continue;
    if (facts.is_list || facts.is_switch) continue;  // --no-NAME may turn a switch off again
    std::vector<GivenValue> values = std::move(given->second);
    if (facts.halves.empty() || values.size() != facts.halves.size()) {
      throw UsageError("{} is given {} times, as {} and {}; give it {}", values.back().where, values.size(),
                       quoted(values[0].text), quoted(values[1].text),
                       facts.halves.empty() ? "once" : "twice at most");
    }
    for (const std::string& half : facts.halves) {
      if (!command_line.contains(half)) continue;
      throw UsageError("{} twice is the same as --{} and --{}; leave those out", values[0].where,
                       facts.halves[0], facts.halves[1]);
    }
    command_line.erase(given);
    for (std::size_t i = 0; i < values.size(); ++i)
      command_line[facts.halves[i]].push_back(std::move(values[i]));
  }
}

std::string Options::turned_off(const std::string& name) const {
  constexpr std::string_view kNo = "no-";
  if (!name.starts_with(kNo)) return "";
  const auto option = std::ranges::find(options_, dashed(name.substr(kNo.size())),
                                        [](const Option& known) { return known.facts().name; });
  if (option == options_.end()) return "";
  const std::string value = option->facts().off_value();
  return value.empty() ? "" : fmt::format("--{} {}", option->facts().name, value);
}

void Options::check_name(const po::option& token, const std::string& typed) const {
  constexpr std::size_t kShortName = 3;  // any two letters are similar to some name of three
  const std::string spelled = typed.substr(0, typed.find('='));
  const std::size_t dashes = std::min(spelled.find_first_not_of('-'), spelled.size());
  if (!token.unregistered && (dashes != 1 || spelled.size() <= 1 + kShortName)) return;
  const bool is_letter = dashes == 1 && spelled.size() == 2;
  std::string meant = did_you_mean_setting(is_letter ? spelled : spelled.substr(dashes), names(), "--");
  if (const std::string off = turned_off(spelled.substr(dashes)); !off.empty())
    meant = fmt::format(", did you mean '{}'?", off);
  if (!token.unregistered && meant.empty()) return;
  throw UsageError(
      "unknown option {}{}", quoted(spelled),
      meant.empty() ? fmt::format("; {} --help lists the options", description_.command) : meant);
}

Options::Source Options::read_file(const std::string& path, std::vector<std::string>& complaints) const {
  Source source;
  const auto try_to_take = [&](const YamlSetting& setting, const std::string& section) {
    collect(
        complaints, [&] { take(setting, section, source); }, setting.line);
  };
  const std::vector<YamlSetting> settings = read_yaml_settings(path);
  if (check_file_) check_file_(path, settings);
  for (const YamlSetting& setting : settings) {
    const std::string name = dashed(setting.name);
    if (setting.kind == YamlSetting::Kind::mapping && is_section(name)) {
      for (const YamlSetting& member : setting.members) try_to_take(member, name);
    } else {
      try_to_take(setting, "");
    }
  }
  return source;
}

void Options::take(const YamlSetting& setting, const std::string& section, Source& source) const {
  const OptionFacts& facts = find_in_yaml(setting, section).facts();
  const std::string name = underscored(facts.name);
  if (setting.kind == YamlSetting::Kind::mapping && facts.is_mapping) {
    std::vector<GivenValue>& values = source[facts.name];
    for (const YamlSetting& member : setting.members) {
      if (member.kind != YamlSetting::Kind::value)
        throw UsageError("{}: {}: expected one value of {}", member.where, name, member.name);
      values.push_back(
          {member.name + "=" + member.values.front().text, fmt::format("{}: {}", member.where, name)});
    }
    return;
  }
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
  for (const Option& option : options_) {
    if (option.facts().name != name) continue;
    check_place(setting, option.facts(), section);
    return option;
  }
  if (section.empty() && is_section(name)) {
    throw UsageError("{}: {}: expected a mapping of settings", setting.where, quoted(setting.name));
  }
  const std::string meant = likely_in_yaml(setting.name, section);
  throw UsageError("{}: unknown setting {}{}", setting.where, quoted(setting.name),
                   meant.empty() ? fmt::format("; {} --help{} lists the settings", description_.command,
                                               section.empty() ? "" : "=" + section)
                                 : meant);
}

std::string Options::likely_in_yaml(const std::string& name, const std::string& section) const {
  std::vector<std::string> known;
  std::map<std::string, std::vector<std::string>> elsewhere;  // the settings of other sections
  for (const Option& option : options_) {
    const OptionFacts& facts = option.facts();
    if (facts.section == section && !facts.is_command_line_only) known.push_back(underscored(facts.name));
    if (facts.section != section && !facts.section.empty())
      elsewhere[underscored(facts.section)].push_back(underscored(facts.name));
    if (section.empty() && !facts.section.empty()) known.push_back(underscored(facts.section));
  }
  std::string meant = did_you_mean_setting(name, known);
  for (const auto& [other, names] : elsewhere) {
    if (meant.empty()) meant = did_you_mean_setting(name, names, other + ".");
  }
  return meant;
}

void Options::assign(const std::vector<Source>& sources, std::vector<std::string>& complaints) {
  std::vector<bool> is_assigned(options_.size());
  const auto assign_one = [&](size_t index) {
    Option& option = options_[index];
    option.forget_origin();
    is_assigned[index] = true;
    for (const Source& source : sources) {
      const auto values = source.find(option.facts().name);
      if (values != source.end()) collect(complaints, [&] { option.assign(values->second); });
    }
  };
  for (const auto& [index, apply] : early_) {
    assign_one(index);
    if (options_[index].given() && complaints.empty()) apply();
  }
  for (size_t index = 0; index < options_.size(); ++index) {
    if (!is_assigned[index]) assign_one(index);
  }
}

void Options::take_positional(std::vector<std::string> unnamed) {
  const auto& [target, value_name, help, least, most, choices] = positional_;
  if (unnamed.size() > most) {
    const auto& [command, usage, summary, example] = description_;
    throw UsageError("unexpected argument {}; {}", quoted(unnamed[most]),
                     usage.empty() ? "for example: " + example : fmt::format("usage: {} {}", command, usage));
  }
  if (unnamed.size() < least) {
    throw UsageError("{} is missing; usage: {} {}", value_name, description_.command, description_.usage);
  }
  if (target != nullptr) *target = std::move(unnamed);
}

std::string Options::missing_need(const Option& option) const {
  const OptionFacts& facts = option.facts();
  const auto is_given = [this](const std::string& name) { return given(name); };
  if (!facts.needs.empty() && std::ranges::none_of(facts.needs, is_given)) return facts.needs_text;
  return facts.applies && !facts.applies() ? facts.applies_text : "";
}

void Options::check_needs(const std::vector<Source>& sources) const {
  for (const Option& option : options_) {
    const std::string need = missing_need(option);
    if (need.empty()) continue;
    for (const Source& source : sources) {
      const auto values = source.find(option.facts().name);
      if (values == source.end()) continue;
      throw UsageError("{} needs {}", values->second.back().where, need);
    }
  }
}

void Options::note_idle(const std::vector<Source>& sources) {
  for (const Option& option : options_) {
    const auto is_in = [&option](const Source& source) { return source.contains(option.facts().name); };
    // Whether it has no effect may depend on the devices, which take time to find.
    if (std::ranges::any_of(sources, is_in) && option.is_idle())
      idle_.push_back(fmt::format("{} has no effect: {}", option.origin(), option.facts().idle_text));
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

}  // namespace nmt
