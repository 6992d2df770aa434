// The text of --help, and of the pages of documentation.
#include "cli/options/help/help.h"

#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <sstream>

#include "common/log/terminal_log.h"
#include "common/text/spelling.h"

namespace nmt {
namespace {

constexpr size_t kWidestLabel = 32;
constexpr const char* kArguments = "arguments";

/// Returns the width of the terminal, limited to what is easy to read.
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

/// Returns what the facts say besides the help text: " (repeatable, default: 4)", or nothing.
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

}  // namespace nmt
