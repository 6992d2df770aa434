// DeepL's interface: documents.
#include <cmath>
#include <nlohmann/json.hpp>
#include <utility>

#include "serve/documents/sent_document.h"
#include "serve/interfaces/deepl_requests.h"
#include "serve/interfaces/document_requests.h"
#include "serve/interfaces/interfaces.h"
#include "serve/routes.h"
#include "serve/text_paths.h"
#include "serve/translation_server.h"

namespace nmt {
namespace {

using nlohmann::json;
using nlohmann::ordered_json;

/// Returns the document of a form, without its models. `filename` names its file, too.
SentDocument deepl_document(DocumentForm form) {
  if (form.values.contains("filename")) form.name = plain_file_name(deepl_text(form.values, "filename"));
  SentDocument document = document_in(form, "");
  const std::string format = form.values.value("output_format", "");
  if (!format.empty() && document_format_of("a." + format, form.bytes) != document.format)
    throw CallError(
        400, "Value for 'output_format' not supported: the translation has the format of the document.");
  return document;
}

/// Returns the document that the path of a call names, if its key is that of the call. Throws CallError
/// (404).
DocumentStatus deepl_status(const Call& call, const json& values) {
  const DocumentStatus status =
      call.document_store().status(call.owner(), std::string(segment_of(call.request().path, 2)));
  if (deepl_text(values, "document_key") != status.key) throw CallError(404, "Document not found");
  return status;
}

}  // namespace

void answer_deepl_new_document(Call& call) {
  DocumentForm form = document_form(call);
  const json values = form.values;
  authorize_deepl(call, values);
  const Languages pair = deepl_languages(call, values);
  check_deepl_settings(values);
  SentDocument document = deepl_document(std::move(form));
  document.target = pair.target;
  if (pair.source != "auto") document.path = call.server().pairs().path(pair);
  std::shared_ptr<const Glossary> terms;
  if (const StoredGlossaryPtr glossary = deepl_glossary(call, values)) {
    terms = deepl_terms(*glossary, pair);
    check_deepl_path(call, *document.path, "glossary_id");
  }
  document.ask = [terms, name = document.path ? call.name_of(*document.path) : ""](const ServedModel& model,
                                                                                   bool /*is_last*/) {
    return with_usual_keep(deepl_request(model, terms, name));
  };
  if (document.path && !call.open(*document.path, document.ask)) return;
  const DocumentStatus status = call.send(std::move(document));
  call.answer(json_response({{"document_id", status.id}, {"document_key", status.key}}));
}

void answer_deepl_document(Call& call) {
  const DocumentStatus status = deepl_status(call, deepl_values(call));
  ordered_json object = {{"document_id", status.id}};
  object["status"] = status.state == DocumentState::failed ? "error" : name_of(status.state);
  if (status.state == DocumentState::translating && status.progress > 0)
    object["seconds_remaining"] =
        static_cast<std::int64_t>(std::ceil(status.seconds * (1 - status.progress) / status.progress));
  if (status.state == DocumentState::done) object["billed_characters"] = status.characters;
  if (!status.error.empty()) object["error_message"] = status.error;
  call.answer(json_response(object));
}

void answer_deepl_translated_document(Call& call) {
  const DocumentStatus status = deepl_status(call, deepl_values(call));
  if (status.state == DocumentState::queued || status.state == DocumentState::translating)
    throw CallError(503, "Document not ready");
  DocumentStore& store = call.document_store();
  HttpResponse response = file_response(store.result(call.owner(), status.id));
  store.remove(call.owner(), status.id);  // as DeepL does; the answer keeps the file
  call.answer(std::move(response));
}

}  // namespace nmt
