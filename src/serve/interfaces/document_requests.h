// The parts that requests to translate documents have in common.
#pragma once

#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "data/text/keep_rules.h"
#include "serve/call.h"
#include "serve/documents/document_store.h"

namespace nmt {

/// A form with a document.
struct DocumentForm {
  std::string name;        // of the file, without folders; empty if it has none
  std::string_view bytes;  // of the file
  nlohmann::json values;   // of the other fields, by name; they are texts
};

/// Returns the form in the body of a request. Throws CallError (404) if the server translates no documents,
/// and CallError or UsageError if the body is not a form of type multipart/form-data with a single file,
/// `file`, if it has two fields of a name, and if the document or another field is too large.
DocumentForm document_form(const Call& call);

/// Returns the name of a file as a client has sent it without folders, control characters, and those that
/// change lines or the direction of text. Throws CallError if it is too long.
std::string plain_file_name(std::string name);

/// Returns a document whose format has this name or, if it is empty, is that of the name of the file. Throws
/// UsageError if the format is unknown.
SentDocument document_in(const DocumentForm& form, const std::string& format);

/// Returns a request to a model for the texts of a document: without other rules, it keeps those parts that
/// `nmt translate --document` keeps.
TranslationRequest with_usual_keep(TranslationRequest asked);

/// Returns the translation of a document as a file to save.
HttpResponse file_response(const TranslatedDocument& document);

}  // namespace nmt
