#include "serve/interfaces/document_requests.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

#include "common/text/foreign_names.h"
#include "common/text/spelling.h"
#include "common/text/utf8.h"
#include "serve/documents/sent_document.h"
#include "serve/request_values.h"
#include "serve/translation_server.h"

namespace nmt {
namespace {

constexpr std::size_t kMostParts = 100, kMostFieldBytes = 4096, kMostNameBytes = 255;

bool is_plain_ascii(char c) {
  return c >= ' ' && c <= '~';
}

/// Returns the bytes of the character at the beginning of a text in UTF-8 if it has no place in a name: it is
/// a control character, or changes lines (U+2028, U+2029) or the direction of text (U+202A to U+202E, U+2066
/// to U+2069). Returns 0 for other characters.
std::size_t misplaced_bytes(std::string_view text) {
  const auto byte = [text](std::size_t i) {
    return i < text.size() ? static_cast<unsigned char>(text[i]) : 0U;
  };
  if (byte(0) < 0x20 || byte(0) == 0x7f) return 1;
  if (byte(0) == 0xC2 && byte(1) < 0xA0) return 2;
  if (byte(0) != 0xE2) return 0;
  const bool is_line_or_direction = byte(1) == 0x80 && byte(2) >= 0xA8 && byte(2) <= 0xAE;
  const bool is_direction = byte(1) == 0x81 && byte(2) >= 0xA6 && byte(2) <= 0xA9;
  return is_line_or_direction || is_direction ? 3 : 0;
}

/// Throws CallError for a field besides the document that is too large. A glossary may be as large as in
/// other requests.
void check_size(const FormPart& field, const ServerSettings& settings) {
  const std::size_t most = field.name == "glossary" ? most_body_bytes(settings) : kMostFieldBytes;
  if (field.name.size() > kMostFieldBytes || field.bytes.size() > most)
    throw CallError(413, "the field {} has more than {} bytes", quoted(field.name), most);
}

/// Throws CallError for a file with more bytes than the server allows.
void check_document(const FormPart& file, const ServerSettings& settings) {
  const std::int64_t most = settings.most_document_bytes;
  if (std::cmp_greater(file.bytes.size(), most))
    throw CallError(413, "a document has at most {:.4g} MiB here", static_cast<double>(most) / (1 << 20));
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
  const ServerSettings& settings = call.server().settings();
  const std::vector<FormPart> parts =
      multipart_parts(request.file ? request.file->text() : std::string_view(request.body),
                      request.body_parameter("boundary"), kMostParts);
  std::map<std::string_view, const FormPart*> by_name;
  FormFields fields;
  for (const FormPart& part : parts) {
    if (!by_name.emplace(part.name, &part).second)
      throw CallError(400, "the form has two fields {}; send one in each request", quoted(part.name));
  }
  const auto file = by_name.find("file");
  if (file == by_name.end()) throw CallError(400, "the form has no field 'file' with the document");
  for (const FormPart& part : parts) {
    if (part.name == "file") continue;
    check_size(part, settings);
    fields.emplace_back(part.name, part.bytes);
  }
  check_document(*file->second, settings);
  return {.name = plain_file_name(file->second->file_name.value_or("")),
          .bytes = file->second->bytes,
          .values = values_of_fields(std::move(fields))};
}

std::string plain_file_name(std::string name) {
  repair_utf8(name);
  name.erase(0, name.find_last_of("/\\") + 1);
  std::string plain;
  for (std::string_view rest = name; !rest.empty();) {
    const std::size_t misplaced = misplaced_bytes(rest);
    if (misplaced == 0) plain += rest.front();
    rest.remove_prefix(std::max<std::size_t>(misplaced, 1));
  }
  if (plain.size() > kMostNameBytes)
    throw CallError(400, "the name of the file has more than {} bytes", kMostNameBytes);
  return plain;
}

SentDocument document_in(const DocumentForm& form, const std::string& format) {
  const std::string_view same = foreign_value(comparable(format));
  const DocumentFormat* const found = format.empty() ? document_format_of(form.name, form.bytes)
                                                     : document_format(same.empty() ? format : same);
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
