// The resolved configuration as YAML.
#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <vector>

#include "cli/options/options.h"
#include "common/text/pattern.h"
#include "common/text/spelling.h"

namespace nmt {
namespace {

/// Whether YAML readers take a text for a truth value or a number unless it is quoted. (The emitter itself
/// quotes texts that are not plain scalars.)
bool means_something_else(const std::string& text) {
  static const Pattern pattern(R"((true|false|yes|no|on|off|y|n)|[-+]?(\.inf|\.nan|0x[0-9a-f_]+|0o[0-7]+|)"
                               R"((\.[0-9]+|[0-9][0-9_]*(\.[0-9]*)?)(e[-+]?[0-9]+)?))",
                               Pattern::Case::ignored);
  return text == ".nan" || pattern.matches(text);
}

void write_value(YAML::Emitter& out, const std::string& text, bool is_text) {
  if (is_text && means_something_else(text)) out << YAML::DoubleQuoted;
  out << text;
}

void write_option(YAML::Emitter& out, const Option& option) {
  const OptionFacts& facts = option.facts();
  const std::vector<std::string> values = option.absolute_texts();
  if (values.empty() && !facts.is_list) return;
  out << YAML::Key << underscored(facts.name) << YAML::Value;
  if (facts.is_list) out << YAML::BeginSeq;
  for (const std::string& value : values) write_value(out, value, facts.is_text);
  if (facts.is_list) out << YAML::EndSeq;
}

/// Returns the sections in the order of the table, the top level first.
std::vector<std::string> sections_of(const Options& options) {
  std::vector<std::string> sections{""};
  for (const Option& option : options.table()) {
    const std::string& section = option.facts().section;
    if (std::find(sections.begin(), sections.end(), section) == sections.end()) sections.push_back(section);
  }
  return sections;
}

}  // namespace

std::string Options::resolved() const {
  return resolved(true);
}

std::string Options::resolved_without_paths() const {
  return resolved(false);
}

std::string Options::resolved(bool with_paths) const {
  YAML::Emitter out;
  out << YAML::BeginMap;
  for (const std::string& section : sections_of(*this)) {
    if (!section.empty()) out << YAML::Key << underscored(section) << YAML::Value << YAML::BeginMap;
    for (const Option& option : options_) {
      const OptionFacts& facts = option.facts();
      const bool saved = !facts.is_command_line_only && !facts.is_transient && missing_need(option).empty() &&
                         !option.is_idle() && (with_paths || !(facts.is_path() || facts.is_local));
      if (saved && facts.section == section) write_option(out, option);
    }
    if (!section.empty()) out << YAML::EndMap;
  }
  out << YAML::EndMap;
  return std::string(out.c_str()) + "\n";
}

}  // namespace nmt
