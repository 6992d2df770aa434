// The text of --help, and of the pages of documentation.
#include <algorithm>
#include <sstream>

#include "cli/options.h"
#include "cli/spelling.h"

namespace nmt::cli {
namespace {

constexpr size_t kLineWidth = 100;
constexpr size_t kWidestLabel = 32;

/// A name with what is said about it.
struct Row {
  std::string label, text;
  std::string yaml;  // its name in files of settings; empty when it has none
};

struct Section {
  std::string heading;
  std::vector<Row> rows;
};

/// Appends words, breaking lines before `kLineWidth` and indenting the new ones; `column` is where the text
/// begins.
void append_wrapped(std::string& out, const std::string& text, size_t column, size_t indent) {
  std::istringstream words(text);
  std::string word;
  for (bool first = true; words >> word; first = false) {
    if (!first && column + 1 + word.size() > kLineWidth) {
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

Row row_of(const OptionFacts& facts) {
  Row row;
  row.label = facts.letter != 0 ? fmt::format("-{}, --{}", facts.letter, facts.name) : "    --" + facts.name;
  if (!facts.value_name.empty()) row.label += " " + facts.value_name;
  row.text = facts.help;
  if (!facts.is_command_line_only) {
    row.yaml = (facts.section.empty() ? "" : underscored(facts.section) + ".") + underscored(facts.name);
  }
  if (facts.is_list) row.text += " (repeatable)";
  if (facts.is_required) row.text += " (required)";
  if (facts.is_switch && facts.default_text == "true")
    row.text += " (on; --no-" + facts.name + " turns it off)";
  if (!facts.is_switch && !facts.default_text.empty()) row.text += " (default: " + facts.default_text + ")";
  return row;
}

/// The groups in the order of the table, the general one last.
std::vector<Section> sections_of(const Options& options) {
  std::vector<Section> sections;
  for (const Option& option : options.table()) {
    const OptionFacts& facts = option.facts();
    auto section = std::find_if(sections.begin(), sections.end(),
                                [&](const Section& known) { return known.heading == facts.group; });
    if (section == sections.end()) section = sections.insert(section, {facts.group, {}});
    section->rows.push_back(row_of(facts));
  }
  std::stable_partition(sections.begin(), sections.end(),
                        [](const Section& section) { return section.heading != kGeneralGroup; });
  const Positional& positional = options.positional();
  if (positional.target != nullptr) {
    sections.insert(sections.begin(), {"arguments", {{positional.value_name, positional.help, ""}}});
  }
  return sections;
}

/// A bar would end the cell of a table.
std::string escaped(const std::string& text) {
  std::string out;
  for (const char c : text) out += c == '|' ? "\\|" : std::string(1, c);
  return out;
}

size_t width_of_labels(const std::vector<Section>& sections) {
  size_t width = 0;
  for (const Section& section : sections) {
    for (const Row& row : section.rows) width = std::max(width, row.label.size());
  }
  return std::min(width, kWidestLabel);
}

}  // namespace

std::string Options::help() const {
  const auto& [command, usage, summary, example] = description_;
  std::string out = fmt::format("usage: {} [options]{}{}\n\n", command, usage.empty() ? "" : " ", usage);
  append_wrapped(out, summary, 0, 0);
  const std::vector<Section> sections = sections_of(*this);
  const size_t indent = width_of_labels(sections) + 4;
  for (const auto& [heading, rows] : sections) {
    out += "\n" + heading + ":\n";
    for (const auto& [label, text, yaml] : rows) {
      out += "  " + label;
      out += label.size() + 4 > indent ? "\n" + std::string(indent, ' ')
                                       : std::string(indent - label.size() - 2, ' ');
      append_wrapped(out, text, indent, indent);
    }
  }
  return out + "\nexample:\n  " + example + "\n";
}

std::string Options::help_as_markdown() const {
  const auto& [command, usage, summary, example] = description_;
  const bool has_files = std::any_of(options_.begin(), options_.end(),
                                     [](const Option& option) { return option.facts().name == "config"; });
  std::string out = fmt::format("# {}\n\n{}\n\n```\n{} [options]{}{}\n```\n\nFor example:\n\n```\n{}\n```\n",
                                command, summary, command, usage.empty() ? "" : " ", usage, example);
  for (const auto& [heading, rows] : sections_of(*this)) {
    out += fmt::format("\n## {}\n\n| | |{}\n|---|---|{}\n", heading,
                       has_files ? " in files of settings |" : "", has_files ? "---|" : "");
    for (const auto& [label, text, yaml] : rows) {
      out += fmt::format("| `{}` | {} |", escaped(label.substr(label.find_first_not_of(' '))), escaped(text));
      if (has_files) out += yaml.empty() ? " |" : fmt::format(" `{}` |", yaml);
      out += '\n';
    }
  }
  return out;
}

}  // namespace nmt::cli
