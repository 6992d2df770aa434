// The documents of nmt's own interface.
#include <nlohmann/json.hpp>
#include <utility>

#include "common/text/spelling.h"
#include "documents/charset.h"
#include "engine/plain_json.h"
#include "serve/documents/sent_document.h"
#include "serve/interfaces/document_requests.h"
#include "serve/interfaces/interfaces.h"
#include "serve/interfaces/v1_requests.h"
#include "serve/routes.h"
#include "serve/text_paths.h"

namespace nmt {
namespace {

using nlohmann::json;
using nlohmann::ordered_json;

constexpr std::size_t kIdOfDocument = 2;  // segment of /v1/documents/ID

std::string document_id_in(const Call& call) {
  return std::string(segment_of(call.request().path, kIdOfDocument));
}

ordered_json json_of(const DocumentStatus& status) {
  ordered_json object = {{"id", status.id},
                         {"name", status.name},
                         {"status", name_of(status.state)},
                         {"progress", status.progress}};
  if (status.characters > 0) object["characters"] = status.characters;
  if (!status.error.empty()) object["error"] = status.error;
  if (!status.expires.empty()) object["expires"] = status.expires;
  return object;
}

/// Replaces terms in a form, which are JSON, by their value. The id of a glossary stays; an empty one goes.
void read_terms(json& values) {
  const auto found = values.find("glossary");
  if (found == values.end()) return;
  const auto text = found->get<std::string>();
  if (text.empty()) values.erase(found);
  if (!text.starts_with('{') && !text.starts_with('[')) return;
  constexpr int kDeepest = 4;
  try {
    *found = plain_json(text, "'glossary'", kDeepest);
  } catch (const json::parse_error& error) {
    throw UsageError("'glossary': invalid JSON {}", json_fault(text, error));
  }
}

/// Returns the document of a form, without its models.
SentDocument document_of(const DocumentForm& form, json& values) {
  const auto take = [&values](const char* name) { return v1_value<std::string>(values, name, "", "a text"); };
  SentDocument document = document_in(form, take("format"));
  document.settings = {.keys = split_at_commas(take("keys")), .encoding = take("encoding")};
  if (!document.settings.encoding.empty() && !Charset::is_known(document.settings.encoding))
    throw UsageError("the encoding {} is not known", quoted(document.settings.encoding));
  const std::string output = take("output");
  if (!output.empty() && output != "tmx")
    throw UsageError("'output' is {}, but must be tmx, or left out for a document of the same format",
                     quoted(output));
  document.as_tmx = output == "tmx";
  return document;
}

/// Throws UsageError for fields of a form that have no meaning.
void check_fields_of_document(const json& values) {
  static const std::vector<std::string> kNames = {"source", "target", "model",    "glossary",
                                                  "format", "keys",   "encoding", "output"};
  for (const auto& [name, value] : values.items()) {
    if (std::ranges::count(kNames, name) == 0)
      throw UsageError("unknown field {} (a document has file, {})", quoted(name), join(kNames, ", "));
  }
}

}  // namespace

void answer_v1_new_document(Call& call) {
  const DocumentForm form = document_form(call);
  json values = form.values;
  check_fields_of_document(values);
  read_terms(values);
  SentDocument document = document_of(form, values);
  const AskedPath asked = v1_path(call, values);
  document.path = asked.path;
  document.target = asked.target;
  TranslationRequest request{.search = nullptr};
  if (asked.path) check_v1_path(call, *asked.path, values);
  if (const StoredGlossaryPtr glossary = take_v1_glossary(call, values)) {
    if (!asked.path)
      throw UsageError("a stored 'glossary' needs the language of the document; name its 'source'");
    if (!asked.path->empty())
      request.glossary = call.terms_for(*glossary, call.models().sources()[asked.path->front()].pair);
  }
  document.ask = [request, values, name = asked.path ? call.name_of(*asked.path) : ""](
                     const ServedModel& model, bool is_last) {
    TranslationRequest of_model = with_usual_keep(v1_request(name, model, request, values));
    return is_last ? of_model : with_one_translation(std::move(of_model));
  };
  // Settings are checked before the client has its answer.
  v1_request_to_none(request, values);
  if (asked.path && !call.open(*asked.path, document.ask)) return;
  call.answer(json_response(json_of(call.send(std::move(document))), 202));
}

void answer_v1_documents(Call& call) {
  ordered_json documents = ordered_json::array();
  for (const DocumentStatus& each : call.document_store().list(call.owner()))
    documents.push_back(json_of(each));
  call.answer(json_response({{"documents", std::move(documents)}}));
}

void answer_v1_document(Call& call) {
  call.answer(json_response(json_of(call.document_store().status(call.owner(), document_id_in(call)))));
}

void answer_v1_translated_document(Call& call) {
  call.answer(file_response(call.document_store().result(call.owner(), document_id_in(call))));
}

void answer_v1_deleted_document(Call& call) {
  call.document_store().remove(call.owner(), document_id_in(call));
  call.answer({.status = 204});
}

}  // namespace nmt
