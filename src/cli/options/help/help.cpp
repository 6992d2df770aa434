#include "cli/options/help/help.h"

#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <iterator>
#include <nlohmann/json.hpp>
#include <sstream>

#include "cli/program.h"
#include "common/error.h"
#include "common/log/terminal_log.h"
#include "common/text/spelling.h"

namespace nmt {
namespace {

constexpr size_t kWidestLabel = 32;
constexpr const char* kArguments = "arguments";

/// Returns the width of the terminal, limited to a width that is easy to read.
size_t line_width() {
  constexpr size_t kMost = 100, kLeast = 20;
  return std::clamp(terminal_columns(STDOUT_FILENO, kMost), kLeast, kMost);
}

/// Appends words, breaking lines before line_width() and indenting new lines; `column` is where the text
/// begins.
void append_wrapped(std::string& out, const std::string& text, size_t column, size_t indent) {
  const size_t width = line_width();
  std::istringstream words(text);
  std::string word;
  for (bool first = true; words >> word; first = false) {
    if (!first && column + 1 + word.size() > width) {
      out += "\n" + std::string(indent, ' ');
      column = indent;
    } else if (!first) {
      out += ' ';
      ++column;
    }
    out += word;
    column += word.size();
  }
  out += '\n';
}

/// Returns the length of the first sentence of a help text, without its full stop.
size_t first_length(const std::string& help) {
  const size_t end = help.find(". ");
  return end != std::string::npos ? end : help.size() - (help.ends_with('.') ? 1 : 0);
}

/// Returns the facts in addition to the help text: " (repeatable, default: 4)", or nothing.
std::string notes_of(const OptionFacts& facts) {
  std::vector<std::string> notes;
  if (facts.is_list) notes.emplace_back("repeatable");
  if (facts.is_required) notes.emplace_back("required");
  if (facts.is_switch && facts.default_text == "true")
    notes.push_back("on; --no-" + facts.name + " turns it off");
  if (!facts.is_switch && !facts.default_text.empty()) notes.push_back("default: " + facts.default_text);
  return notes.empty() ? "" : " (" + join(notes, ", ") + ")";
}

HelpRow row_of(const OptionFacts& facts) {
  HelpRow row{
      .names = facts.letter != 0 ? fmt::format("-{}, --{}", facts.letter, facts.name) : "--" + facts.name,
      .value = facts.value_name,
      .brief = first_sentence(facts.help) + notes_of(facts),
      .text = as_sentences(facts.help, notes_of(facts))};
  if (!facts.is_command_line_only) {
    row.yaml = (facts.section.empty() ? "" : underscored(facts.section) + ".") + underscored(facts.name);
  }
  return row;
}

std::string with_value(const HelpRow& row) {
  return row.value.empty() ? row.names : row.names + " " + row.value;
}

/// Returns a label for a column in which long names are aligned.
std::string label_of(const HelpRow& row) {
  return (row.names.starts_with("--") ? "    " : "") + with_value(row);
}

/// Escapes bars, which would end the cell of a table.
std::string escaped(const std::string& text) {
  std::string out;
  for (const char c : text) out += c == '|' ? "\\|" : std::string(1, c);
  return out;
}

size_t width_of_labels(const std::vector<HelpSection>& sections) {
  size_t width = 0;
  for (const HelpSection& section : sections) {
    for (const HelpRow& row : section.rows) width = std::max(width, label_of(row).size());
  }
  return std::min({width, kWidestLabel, line_width() / 3});
}

/// Returns the settings that `is_shown` selects, in their groups.
template <class IsShown>
std::vector<HelpSection> sections_of(const Options& options, const IsShown& is_shown) {
  std::vector<HelpSection> sections;
  for (const Option& option : options.table()) {
    const OptionFacts& facts = option.facts();
    if (!is_shown(facts)) continue;
    auto section = std::find_if(sections.begin(), sections.end(),
                                [&](const HelpSection& known) { return known.heading == facts.group; });
    if (section == sections.end()) section = sections.insert(section, {facts.group, {}});
    section->rows.push_back(row_of(facts));
  }
  std::stable_partition(sections.begin(), sections.end(),
                        [](const HelpSection& section) { return section.heading != kGeneralGroup; });
  const Positional& positional = options.positional();
  if (positional.target != nullptr) {
    const HelpRow row{.names = positional.value_name,
                      .brief = first_sentence(positional.help),
                      .text = as_sentences(positional.help)};
    sections.insert(sections.begin(), {kArguments, {row}});
  }
  return sections;
}

}  // namespace

std::string first_sentence(const std::string& help) {
  return help.substr(0, first_length(help));
}

std::string as_sentences(const std::string& help, const std::string& notes) {
  const size_t end = first_length(help);
  std::string text = help.substr(0, end) + notes + help.substr(end);
  if (!text.ends_with('.')) text += '.';
  text[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(text[0])));
  return text;
}

std::vector<HelpSection> help_sections(const Options& options) {
  return sections_of(options, [](const OptionFacts&) { return true; });
}

std::vector<HelpSection> short_help_sections(const Options& options) {
  std::vector<HelpSection> sections = sections_of(
      options, [](const OptionFacts& facts) { return facts.is_essential && facts.group != kGeneralGroup; });
  for (HelpSection& section : sections) {
    for (HelpRow& row : section.rows) row.text = row.brief;
  }
  return sections;
}

std::vector<std::string> help_groups(const Options& options) {
  std::vector<std::string> groups;
  for (const HelpSection& section : help_sections(options)) {
    if (section.heading != kArguments)
      groups.push_back(section.heading.substr(0, section.heading.find(" (")));
  }
  return groups;
}

std::string Options::help() const {
  return help_text(*this, help_sections(*this));
}

std::string Options::short_help() const {
  std::string out = help_text(*this, short_help_sections(*this));
  out += fmt::format("\n{} --help lists all {} options\n", description_.command, options_.size());
  const std::vector<std::string> groups = help_groups(*this);
  if (groups.size() > 3)
    append_wrapped(
        out, fmt::format("{} --help=GROUP shows one group: {}", description_.command, join(groups, ", ")), 0,
        2);
  return out;
}

std::string help_text(const Options& options, const std::vector<HelpSection>& sections) {
  const auto& [command, usage, summary, example] = options.description();
  std::string out = fmt::format("usage: {} [options]{}{}\n\n", command, usage.empty() ? "" : " ", usage);
  append_wrapped(out, summary, 0, 0);
  const size_t indent = width_of_labels(sections) + 4;
  for (const auto& [heading, rows] : sections) {
    out += "\n" + heading + ":\n";
    for (const HelpRow& row : rows) {
      const std::string label = label_of(row);
      out += "  " + label;
      out += label.size() + 4 > indent ? "\n" + std::string(indent, ' ')
                                       : std::string(indent - label.size() - 2, ' ');
      append_wrapped(out, row.text, indent, indent);
    }
  }
  return out + "\nexample:\n  " + example + "\n";
}

std::string Options::help_as_markdown() const {
  const auto& [command, usage, summary, example] = description_;
  std::string out = fmt::format("# {}\n\n{}\n\n```\n{} [options]{}{}\n```\n\nFor example:\n\n```\n{}\n```\n",
                                command, summary, command, usage.empty() ? "" : " ", usage, example);
  for (const auto& [heading, rows] : help_sections(*this)) {
    out += fmt::format("\n## {}\n\n| | | in settings files |\n|---|---|---|\n", heading);
    for (const HelpRow& row : rows) {
      out += fmt::format("| `{}` | {} |{}\n", escaped(with_value(row)), escaped(row.text),
                         row.yaml.empty() ? " |" : fmt::format(" `{}` |", row.yaml));
    }
  }
  return out;
}

namespace {

std::string nothing() {
  return "";
}

struct Form {
  const char* name;
  std::string (*of_command)(const Options& options);
  std::string (*begin)();  // begin of the form for the whole program
  std::string (*end)();
  bool has_commands;  // whether the forms of all subcommands are in between
};

std::string markdown_page(const Options& options) {
  return options.help_as_markdown();
}

constexpr Form kForms[] = {
    {"markdown", markdown_page, nothing, nothing, true},
    {"json", json_table, nothing, nothing, true},
    {"man", man_page, man_page_of_program, nothing, false},
    {"bash", bash_completion, nothing, bash_completion_end, true},
    {"zsh", zsh_completion, zsh_completion_begin, zsh_completion_end, true},
    {"fish", fish_completion, fish_completion_begin, nothing, true},
};

/// The form of this name; null where there is none.
const Form* form_named(const std::string& name) {
  const auto found = std::ranges::find(kForms, name, [](const Form& form) { return std::string(form.name); });
  return found == std::end(kForms) ? nullptr : &*found;
}

/// Throws UsageError for a name that is neither a form nor one of these groups.
[[noreturn]] void refuse(const std::string& name, std::vector<std::string> names) {
  const std::size_t groups = names.size();
  for (const Form& form : kForms) names.emplace_back(form.name);
  const std::string forms =
      fmt::format("{}", fmt::join(names.begin() + static_cast<std::ptrdiff_t>(groups), names.end(), ", "));
  const std::string meant = did_you_mean(name, names);
  names.resize(groups);
  throw UsageError("--help={}: expected {}one of {}{}", name,
                   groups == 0 ? "" : fmt::format("a group of settings ({}) or ", join(names, ", ")), forms,
                   meant);
}

}  // namespace

std::string help_in_form(const std::string& form, const Options& options) {
  if (const Form* const named = form_named(form)) return named->of_command(options);
  std::vector<HelpSection> sections = help_sections(options);
  const std::string wanted = comparable(form);
  std::erase_if(sections, [&](const HelpSection& section) {
    return wanted.empty() || !comparable(section.heading).starts_with(wanted);
  });
  if (sections.empty()) refuse(form, help_groups(options));
  return help_text(options, sections);
}

void print_program_help(const std::string& name) {
  const Form* const form = form_named(name);
  if (form == nullptr) refuse(name, {});
  write_output(form->begin());
  if (form->has_commands) {
    for (const Command& command : commands()) command.run({"--help=" + name});
  }
  write_output(form->end());
}

namespace {

using Json = nlohmann::ordered_json;

Json json_of(const OptionFacts& facts) {
  Json option = {{"name", facts.name},
                 {"type", facts.is_switch ? "switch" : facts.type},
                 {"is_list", facts.is_list},
                 {"is_path", facts.is_path()},
                 {"is_required", facts.is_required},
                 {"is_command_line_only", facts.is_command_line_only},
                 {"value", facts.value_name},
                 {"choices", facts.choices},
                 {"default", facts.default_text},
                 {"group", facts.group},
                 {"help", as_sentences(facts.help)}};
  // Model settings are numbers without a fixed type.
  if (facts.type == "string" && !facts.is_text && facts.choices.empty()) option["type"] = "number";
  if (!facts.numbered.empty()) option["numbered"] = facts.numbered;
  return option;
}

}  // namespace

std::string json_table(const Options& options) {
  Json table = {{"command", options.description().command}, {"summary", options.description().summary}};
  for (const Option& option : options.table()) table["options"].push_back(json_of(option.facts()));
  return table.dump() + "\n";
}

}  // namespace nmt
