// The glossaries of nmt's own interface, which the server stores.
#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

#include "common/text/spelling.h"
#include "common/text/utf8.h"
#include "engine/json_terms.h"
#include "serve/interfaces/interfaces.h"
#include "serve/routes.h"
#include "serve/translation_server.h"

namespace nmt {
namespace {

using nlohmann::json;
using nlohmann::ordered_json;

constexpr std::size_t kIdSegment = 2;  // of /v1/glossaries/ID

/// Returns the id in the path of a call.
std::string glossary_id_in(const Call& call) {
  return std::string(segment_of(call.request().path, kIdSegment));
}

/// Describes a stored glossary, with its terms or with their numbers.
ordered_json json_of(const StoredGlossary& glossary, bool has_terms) {
  ordered_json dictionaries = ordered_json::array();
  for (const auto& [pair, terms] : glossary.dictionaries) {
    ordered_json& each = dictionaries.emplace_back(ordered_json::object());
    if (!pair.target.empty()) each = {{"source", pair.source}, {"target", pair.target}};
    if (has_terms) {
      each["terms"] = json_of(terms->terms());
    } else {
      each["term_count"] = terms->terms().size();
    }
  }
  return {{"id", glossary.id},
          {"name", glossary.name},
          {"created", glossary.created},
          {"dictionaries", std::move(dictionaries)}};
}

/// Returns a text of an object; empty if there is none. Throws UsageError for anything else.
std::string text_in(const json& object, const char* name) {
  const auto found = object.find(name);
  if (found == object.end()) return {};
  if (!found->is_string()) throw UsageError("'{}' must be a text", name);
  auto text = found->get<std::string>();
  repair_utf8(text);
  return text;
}

/// Throws UsageError if a value is not an object, or has other fields than these.
void check_fields(const json& value, const char* what, const std::vector<std::string>& names) {
  if (!value.is_object()) throw UsageError("{} must be an object", what);
  for (const auto& [name, each] : value.items()) {
    if (std::ranges::count(names, name) == 0)
      throw UsageError("unknown field {} ({} has {})", quoted(name), what, join(names, ", "));
  }
}

/// Returns the languages of a dictionary as served. Throws CallError for languages that the server does not
/// translate.
Languages served_pair(const Call& call, const json& dictionary) {
  const Languages given = {text_in(dictionary, "source"), text_in(dictionary, "target")};
  if (given.source.empty() || given.target.empty()) return given;
  Languages pair = call.as_served(given);
  call.server().pairs().path(pair);
  return pair;
}

std::vector<Dictionary> dictionaries_in(const Call& call, const json& body) {
  const auto found = body.find("dictionaries");
  if (found == body.end() || !found->is_array()) throw UsageError("'dictionaries' must be a list");
  std::vector<Dictionary> dictionaries;
  for (const json& each : *found) {
    check_fields(each, "a dictionary", {"source", "target", "terms"});
    if (!each.contains("terms")) throw UsageError("a dictionary has 'terms'");
    dictionaries.push_back({.pair = served_pair(call, each),
                            .terms = std::make_shared<const Glossary>(terms_in(each["terms"], "'terms'"),
                                                                      TermNames{"'terms'"})});
  }
  return dictionaries;
}

/// The body of a request to store a glossary.
struct NewGlossary {
  std::string name;
  std::vector<Dictionary> dictionaries;
};

NewGlossary given_in(Call& call) {
  call.admit(1);
  call.take_characters(0);  // counts as a request
  const json body = call.json_body();
  check_fields(body, "a glossary", {"name", "dictionaries"});
  return {.name = text_in(body, "name"), .dictionaries = dictionaries_in(call, body)};
}

}  // namespace

void answer_v1_glossaries(Call& call) {
  ordered_json glossaries = ordered_json::array();
  for (const StoredGlossaryPtr& each : call.glossary_store().list(call.owner()))
    glossaries.push_back(json_of(*each, false));
  call.answer(json_response({{"glossaries", std::move(glossaries)}}));
}

void answer_v1_new_glossary(Call& call) {
  GlossaryStore& store = call.glossary_store();
  NewGlossary given = given_in(call);
  const StoredGlossaryPtr glossary = store.add(call.owner(), given.name, std::move(given.dictionaries));
  call.answer(json_response(json_of(*glossary, false), 201));
}

void answer_v1_changed_glossary(Call& call) {
  GlossaryStore& store = call.glossary_store();
  NewGlossary given = given_in(call);
  const StoredGlossaryPtr glossary =
      store.replace(call.owner(), glossary_id_in(call), given.name, std::move(given.dictionaries));
  call.answer(json_response(json_of(*glossary, false)));
}

void answer_v1_glossary(Call& call) {
  const StoredGlossaryPtr glossary = call.glossary_store().find(call.owner(), glossary_id_in(call));
  call.answer(json_response(json_of(*glossary, true)));
}

void answer_v1_deleted_glossary(Call& call) {
  call.glossary_store().remove(call.owner(), glossary_id_in(call));
  call.answer({.status = 204});
}

}  // namespace nmt
