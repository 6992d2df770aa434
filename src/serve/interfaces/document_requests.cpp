#include "serve/interfaces/document_requests.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "common/text/spelling.h"
#include "common/text/utf8.h"
#include "serve/documents/sent_document.h"
#include "serve/request_values.h"
#include "serve/translation_server.h"

namespace nmt {
namespace {

constexpr std::size_t kMostParts = 100, kMostNameBytes = 255;

bool is_plain_ascii(char c) {
  return c >= ' ' && c <= '~';
}

/// Returns the name of a file without folders, as any system writes them.
std::string name_without_folders(std::string name) {
  repair_utf8(name);
  name.erase(0, name.find_last_of("/\\") + 1);
  std::erase_if(name, [](char c) { return (c >= 0 && c < ' ') || c == '\x7f'; });
  if (name.size() > kMostNameBytes)
    throw CallError(400, "the name of the file has more than {} bytes", kMostNameBytes);
  return name;
}

/// Returns the field Content-Disposition of a file to save (RFC 6266).
std::string disposition_of(const std::string& name) {
  std::string plain;
  for (const char c : name) plain += is_plain_ascii(c) && c != '"' && c != '\\' ? c : '_';
  std::string field = "attachment; filename=\"" + plain + '"';
  if (plain != name) field += "; filename*=UTF-8''" + percent_encoded(name);
  return field;
}

}  // namespace

DocumentForm document_form(const Call& call) {
  call.document_store();
  const HttpRequest& request = call.request();
  if (request.body_type() != "multipart/form-data")
    throw CallError(415, "the body must be a form, multipart/form-data, with the document as 'file'");
  const auto parts = multipart_parts(request.file ? request.file->text() : std::string_view(request.body),
                                     request.body_parameter("boundary"), kMostParts);
  if (!parts) throw CallError(400, "the form is malformed");
  const FormPart* file = nullptr;
  FormFields fields;
  for (const FormPart& part : *parts) {
    if (part.name != "file") {
      fields.emplace_back(part.name, part.bytes);
      continue;
    }
    if (file != nullptr)
      throw CallError(400, "the form has two fields 'file'; send a request for each document");
    file = &part;
  }
  if (file == nullptr) throw CallError(400, "the form has no field 'file' with the document");
  const std::int64_t most = call.server().settings().most_document_bytes;
  if (std::cmp_greater(file->bytes.size(), most))
    throw CallError(413, "a document has at most {:.4g} MiB here", static_cast<double>(most) / (1 << 20));
  return {.name = name_without_folders(file->file_name.value_or("")),
          .bytes = file->bytes,
          .values = values_of_fields(std::move(fields))};
}

SentDocument document_in(const DocumentForm& form, const std::string& format) {
  const DocumentFormat* const found =
      format.empty() ? document_format_of(form.name, form.bytes) : document_format(format);
  if (found == nullptr) {
    throw UsageError("the {} is unknown; the formats are {}",
                     format.empty() ? "file extension of " + quoted(form.name) : "format " + quoted(format),
                     join(document_format_names(), ", "));
  }
  return {.name = form.name.empty() ? fmt::format("document.{}", found->extensions.front()) : form.name,
          .bytes = form.bytes,
          .format = found};
}

TranslationRequest with_usual_keep(TranslationRequest asked) {
  static const auto kRules = std::make_shared<const KeepRules>(std::vector<std::string>{kUsualKeepRules});
  if (!asked.keep) asked.keep = kRules;
  return asked;
}

HttpResponse file_response(const TranslatedDocument& document) {
  return {.type = document.type,
          .fields = {{"Content-Disposition", disposition_of(document.name)}},
          .file = document.file};
}

}  // namespace nmt
