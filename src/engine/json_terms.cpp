#include "engine/json_terms.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

#include "common/error.h"
#include "common/text/utf8.h"

namespace nmt {
namespace {

using nlohmann::json;
using nlohmann::ordered_json;

std::string repaired_text(const json& value) {
  auto text = value.get<std::string>();
  repair_utf8(text);
  return text;
}

/// Returns the alternatives of a translation.
std::vector<std::string> targets_in(const json& value, const std::string& place) {
  const auto is_text = [](const json& each) { return each.is_string(); };
  if (value.is_null() || value == "") return {};
  if (value.is_string()) return {repaired_text(value)};
  if (!value.is_array() || !std::ranges::all_of(value, is_text))
    throw UsageError("{}: a translation is a text, or a list of alternatives", place);
  std::vector<std::string> targets;
  for (const json& each : value) targets.push_back(repaired_text(each));
  return targets;
}

/// Returns the term of a list of a source, a translation and flags.
Term term_in(const json& fields, const std::string& place) {
  if (!fields.is_array() || fields.size() < 2 || fields.size() > 3 || !fields[0].is_string() ||
      (fields.size() == 3 && !fields[2].is_string())) {
    throw UsageError(R"({}: a term is a list such as ["bank", "Ufer"] or ["US", "USA", "case"])", place);
  }
  Term term{.source = repaired_text(fields[0]), .targets = targets_in(fields[1], place)};
  if (fields.size() == 3) take_flags(fields[2].get<std::string>(), place, term);
  return term;
}

}  // namespace

std::vector<Term> terms_in(const json& value, const std::string& name) {
  if (!value.is_object() && !value.is_array())
    throw UsageError(R"({} must be an object such as {{"bank": "Ufer"}}, or a list of terms)", name);
  std::vector<Term> terms;
  terms.reserve(value.size());
  const auto place = [&] { return fmt::format("{}, term {}", name, terms.size() + 1); };
  for (const auto& [key, each] : value.items()) {
    terms.push_back(value.is_object()
                        ? Term{.source = repaired_text(key), .targets = targets_in(each, place())}
                        : term_in(each, place()));
  }
  return terms;
}

ordered_json json_of(const std::vector<Term>& terms) {
  ordered_json list = ordered_json::array();
  for (const Term& term : terms) {
    ordered_json& fields = list.emplace_back(ordered_json::array({term.source}));
    if (term.targets.size() == 1) {
      fields.push_back(term.targets[0]);
    } else {
      fields.push_back(term.targets);
    }
    if (const std::string flags = flags_of(term); !flags.empty()) fields.push_back(flags);
  }
  return list;
}

}  // namespace nmt
