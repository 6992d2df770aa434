// The options of a subcommand for other programs.
#include <nlohmann/json.hpp>

#include "cli/options/help/help.h"

namespace nmt {
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
