// The text of --help.
#include <algorithm>
#include <sstream>

#include "cli/options.h"

namespace nmt::cli {
namespace {

constexpr size_t kLineWidth = 100;
constexpr size_t kWidestLabel = 32;

/// A name with what is said about it.
struct Row {
  std::string label, text;
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
    sections.insert(sections.begin(), {"arguments", {{positional.value_name, positional.help}}});
  }
  return sections;
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
    for (const auto& [label, text] : rows) {
      out += "  " + label;
      out += label.size() + 4 > indent ? "\n" + std::string(indent, ' ')
                                       : std::string(indent - label.size() - 2, ' ');
      append_wrapped(out, text, indent, indent);
    }
  }
  return out + "\nexample:\n  " + example + "\n";
}

}  // namespace nmt::cli
